#line 2 "edge_program Everything"
// The program `Everything`, made by #[edge_program].
namespace program {

struct Pair_struct {
    wp::u32 low_;
    bool open_;
    wp::Array<bool, 3> spare_;
};

WP_FN bool same(Pair_struct a, Pair_struct b) {
    using rust::same;
    return same(a.low_, b.low_) && same(a.open_, b.open_) && same(a.spare_, b.spare_);
}

struct State_struct {
    wp::f32 cost_;
    Pair_struct pair_;
    wp::u32 hops_;
    wp::i64 last_;
};

WP_FN bool same(State_struct a, State_struct b) {
    using rust::same;
    return same(a.cost_, b.cost_) && same(a.pair_, b.pair_) && same(a.hops_, b.hops_) && same(a.last_, b.last_);
}

typedef State_struct Value;
typedef State_struct Message;
typedef wp::f32 Weight;
typedef wp::Unit Aggregate;

struct Params {
    wp::u64 limit_;
    Pair_struct bias_;
};

static_assert(sizeof(Value) == WP_SIZE_VALUE, "Value is laid out as in Rust");
static_assert(sizeof(Message) == WP_SIZE_MESSAGE, "Message is laid out as in Rust");
static_assert(sizeof(Weight) == WP_SIZE_WEIGHT, "Weight is laid out as in Rust");
static_assert(sizeof(Params) == WP_SIZE_PARAMS, "Params is laid out as in Rust");

WP_FN wp::f32 SCALE_const(wp::Context& cx);
WP_FN wp::f32 TWO_const(wp::Context& cx);
WP_FN wp::i64 DEEP_const(wp::Context& cx);
WP_FN wp::f32 weigh_fn(wp::u32 register_, wp::f32 by_, wp::Context& cx);
WP_FN State_struct pick_fn(bool first_, State_struct a_, State_struct b_, wp::Context& cx);
WP_FN wp::u8 grade_fn(wp::i32 n_, wp::Context& cx);

#line 29 "tests/cuda_text/everything.rs"
WP_FN wp::f32 SCALE_const(wp::Context& cx) {  // const SCALE: f32 = 0.1 * TWO;
#line 29
    return rust::f32_from_bits(0x3dcccccdu /* 0.1 */) * TWO_const(cx);
}

#line 30
WP_FN wp::f32 TWO_const(wp::Context& cx) {  // const TWO: f32 = 2.0;
#line 30
    return 2.0f;
}

#line 31
WP_FN wp::i64 DEEP_const(wp::Context& cx) {  // const DEEP: i64 = i64::MIN;
#line 31
    return (-9223372036854775807ll - 1);
}

#line 33
WP_FN wp::f32 weigh_fn(wp::u32 register_, wp::f32 by_, wp::Context& cx) {  // fn weigh(register: u32, by: f32) -> f32 {
    const wp::f32 register_2 = rust::cast<wp::f32>(register_) * by_;  // let register = register as f32 * by;
    const wp::f32 register_3 = ((register_2 > rust::f32_from_bits(0x4e6e6b28u /* 1000000000.0 */)) ? (rust::f32_from_bits(0x7f800000u /* inf */)) : (register_2));  // let register = if register > 1e9 { f32::INFINITY } else { register };
    return rust::min(register_3, SCALE_const(cx));  // register.min(SCALE)
}

WP_FN State_struct pick_fn(bool first_, State_struct a_, State_struct b_, wp::Context& cx) {  // fn pick(first: bool, a: State, b: State) -> State {
    if (first_) {  // if first { a } else { b }
#line 40
        return a_;
    } else {
#line 40
        return b_;
    }
}

#line 43
WP_FN wp::u8 grade_fn(wp::i32 n_, wp::Context& cx) {  // fn grade(n: i32) -> u8 {
#line 45
    if (n_ == 0) {  // 0 => 1,
#line 45
        return wp::u8(1);
    } else if (((n_ >= 1) && (n_ <= 9)) || (n_ == (-1))) {  // 1..=9 | -1 => 2,
#line 46
        return wp::u8(2);
    } else {
#line 47
        return rust::sub(wp::u8(255), rust::shr(rust::cast<wp::u8>(n_), 3, cx, 0), cx, 1);  // _ => 255 - (n as u8 >> 3),
    }
}

#line 57
WP_FN wp::Option<State_struct> start(const Params& self, const wp::Vertex<wp::Unit, Aggregate>& v_, wp::Context& cx) {  // fn start(&self, v: Vertex) -> Option<State> {
    if (v_.id > self.limit_) {  // if v.id > self.limit {
        return wp::None<State_struct>();  // return None;
    }
    const Pair_struct pair_ = Pair_struct{v_.index, v_.in_degree != 0ull, rust::filled<wp::Array<bool, 3>>(false)};  // let pair = Pair { open: v.in_degree != 0, low: v.index, spare: [false; 3] };
    return wp::Some<State_struct>(State_struct{0.0f, pair_, 0u, DEEP_const(cx)});  // Some(State { cost: 0.0, pair, hops: 0, last: DEEP })
}

WP_FN wp::Option<State_struct> edge(const Params& self, const wp::Edge<Value, Weight>& e_, wp::Context& cx) {  // fn edge(&self, e: Edge<State, f32>) -> Option<State> {
    State_struct state_ = e_.value;  // let mut state = e.value;
    const wp::f32 t2 = state_.cost_;
#line 67
    wp::f32 t1;  // let before = state.cost + {
#line 67
    {
        state_.cost_ = state_.cost_ * 0.5f;  // state.cost *= 0.5;
        t1 = state_.cost_;  // state.cost
    }
#line 67
    const wp::f32 before_ = t2 + t1;  // let before = state.cost + {
#line 71
    if ((state_.pair_.open_ && (!(before_ < e_.weight))) || (grade_fn(rust::cast<wp::i32>(state_.last_), cx) == wp::u8(2))) {  // if state.pair.open && !(before < e.weight) || grade(state.last as i32) == 2 {
        state_.pair_.low_ = rust::add(state_.pair_.low_, rust::shl(self.bias_.low_, wp::u8(3), cx, 2), cx, 3);  // state.pair.low += self.bias.low << 3_u8;
        state_.last_ = rust::rem(rust::neg(state_.last_, cx, 4), 7ll, cx, 5);  // state.last = -state.last % 7;
    } else if (rust::is_nan(before_)) {  // } else if before.is_nan() {
        return wp::None<State_struct>();  // return None;
    }
    const wp::Option<wp::u32> checked_ = rust::checked_add(state_.pair_.low_, 1u);  // let checked = state.pair.low.checked_add(1);
    if (checked_.some) {  // if let Some(low) = checked {
#line 78
        const wp::u32 low_ = checked_.value;
        state_.pair_.low_ = low_;  // state.pair.low = low;
    }
    const wp::f32 cost_ = before_ + weigh_fn(state_.pair_.low_, e_.weight, cx);  // let cost = before + weigh(state.pair.low, e.weight);
    return wp::Some<State_struct>(State_struct{cost_, state_.pair_, state_.hops_, state_.last_});  // Some(State { last: state.last, cost, ..state })
}

WP_FN State_struct combine(const Params& self, State_struct a_, State_struct b_, wp::Context& cx) {  // fn combine(&self, a: State, b: State) -> State {
    if (a_.cost_ <= b_.cost_) {  // if a.cost <= b.cost { a } else { b }
#line 86
        return a_;
    } else {
#line 86
        return b_;
    }
}

#line 89
WP_FN State_struct apply(const Params& self, const wp::Vertex<wp::Option<State_struct>, Aggregate>& v_, wp::Option<State_struct> incoming_, wp::Context& cx) {  // fn apply(&self, v: Vertex<Option<State>>, incoming: Option<State>) -> State {
    State_struct t1;  // let best = match v.value {
    if (v_.value.some) {  // Some(old) => match incoming {
#line 91
        const State_struct old_ = v_.value.value;
        if (!incoming_.some) {  // None => old,
#line 92
            t1 = old_;
        } else {
            const State_struct new_ = incoming_.value;
#line 93
            t1 = pick_fn(self.bias_.open_, old_, new_, cx);  // Some(new) => pick(self.bias.open, old, new),
        }
    } else {
#line 95
        return rust::unwrap(incoming_, cx, 7);  // None => return incoming.unwrap(),
    }
#line 90
    const State_struct best_ = t1;  // let best = match v.value {
#line 97
    return best_;  // best
}

#line 173 "edge_program Everything"
}  // namespace program

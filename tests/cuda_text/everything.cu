#line 2 "edge_program Everything"
// The program `Everything`, made by #[edge_program].
namespace program {

struct Pair_struct {
    wp::u32 low_;
    bool open_;
};

WP_FN bool same(Pair_struct a, Pair_struct b) {
    using rust::same;
    return same(a.low_, b.low_) && same(a.open_, b.open_);
}

struct State_struct {
    wp::f32 cost_;
    Pair_struct pair_;
    wp::i64 last_;
};

WP_FN bool same(State_struct a, State_struct b) {
    using rust::same;
    return same(a.cost_, b.cost_) && same(a.pair_, b.pair_) && same(a.last_, b.last_);
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

#line 27 "tests/cuda_text/everything.rs"
WP_FN wp::f32 SCALE_const(wp::Context& cx) {
#line 27
    return rust::f32_from_bits(0x3dcccccdu /* 0.1 */) * TWO_const(cx);
}

#line 28
WP_FN wp::f32 TWO_const(wp::Context& cx) {
#line 28
    return 2.0f;
}

#line 29
WP_FN wp::i64 DEEP_const(wp::Context& cx) {
#line 29
    return (-9223372036854775807ll - 1);
}

#line 31
WP_FN wp::f32 weigh_fn(wp::u32 register_, wp::f32 by_, wp::Context& cx) {
    const wp::f32 register_2 = rust::cast<wp::f32>(register_) * by_;
    const wp::f32 register_3 = ((register_2 > rust::f32_from_bits(0x4e6e6b28u /* 1000000000.0 */)) ? (rust::f32_from_bits(0x7f800000u /* inf */)) : (register_2));
    return rust::min(register_3, SCALE_const(cx));
}

WP_FN State_struct pick_fn(bool first_, State_struct a_, State_struct b_, wp::Context& cx) {
    if (first_) {
#line 38
        return a_;
    } else {
#line 38
        return b_;
    }
}

#line 41
WP_FN wp::u8 grade_fn(wp::i32 n_, wp::Context& cx) {
#line 41
    {
        const wp::i32 matched_ = n_;
        if (matched_ == 0) {
#line 43
            return wp::u8(1);
        } else if (((matched_ >= 1) && (matched_ <= 9)) || (matched_ == (-1))) {
#line 44
            return wp::u8(2);
        } else {
#line 45
            return rust::sub(wp::u8(255), rust::shr(rust::cast<wp::u8>(n_), 3, cx, 0), cx, 1);
        }
    }
}

#line 55
WP_FN wp::Option<State_struct> start(const Params& self, const wp::Vertex<wp::Unit, Aggregate>& v_, wp::Context& cx) {
    if (v_.id > self.limit_) {
        return wp::None<State_struct>();
    }
    const Pair_struct pair_ = Pair_struct{v_.index, v_.in_degree != 0ull};
    return wp::Some<State_struct>(State_struct{0.0f, pair_, DEEP_const(cx)});
}

WP_FN wp::Option<State_struct> edge(const Params& self, const wp::Edge<Value, Weight>& e_, wp::Context& cx) {
    State_struct state_ = e_.value;
    const wp::f32 t2 = state_.cost_;
#line 65
    wp::f32 t1;
#line 65
    {
        state_.cost_ = state_.cost_ * 0.5f;
        t1 = state_.cost_;
    }
#line 65
    const wp::f32 before_ = t2 + t1;
#line 69
    if ((state_.pair_.open_ && (!(before_ < e_.weight))) || (grade_fn(rust::cast<wp::i32>(state_.last_), cx) == wp::u8(2))) {
        state_.pair_.low_ = rust::add(state_.pair_.low_, rust::shl(self.bias_.low_, wp::u8(3), cx, 2), cx, 3);
        state_.last_ = rust::rem(rust::neg(state_.last_, cx, 4), 7ll, cx, 5);
    } else if (rust::is_nan(before_)) {
        return wp::None<State_struct>();
    }
    const wp::Option<wp::u32> checked_ = rust::checked_add(state_.pair_.low_, 1u);
    const wp::Option<wp::u32> t3 = checked_;
#line 76
    if (t3.some) {
#line 76
        const wp::u32 low_ = t3.value;
        state_.pair_.low_ = low_;
    }
    const wp::f32 cost_ = before_ + weigh_fn(state_.pair_.low_, e_.weight, cx);
    return wp::Some<State_struct>(State_struct{cost_, state_.pair_, state_.last_});
}

WP_FN State_struct combine(const Params& self, State_struct a_, State_struct b_, wp::Context& cx) {
    if (a_.cost_ <= b_.cost_) {
#line 84
        return a_;
    } else {
#line 84
        return b_;
    }
}

#line 87
WP_FN State_struct apply(const Params& self, const wp::Vertex<wp::Option<State_struct>, Aggregate>& v_, wp::Option<State_struct> incoming_, wp::Context& cx) {
    State_struct t1;
#line 88
    const wp::Option<State_struct> t2 = v_.value;
#line 88
    if (t2.some) {
#line 88
        const State_struct old_ = t2.value;
        const wp::Option<State_struct> t3 = incoming_;
#line 89
        if (t3.some) {
#line 89
            const State_struct new_ = t3.value;
#line 91
            t1 = pick_fn(self.bias_.open_, old_, new_, cx);
        } else {
#line 90
            t1 = old_;
        }
    } else {
        return rust::unwrap(incoming_, cx, 7);
    }
#line 88
    const State_struct best_ = t1;
#line 95
    return best_;
}

#line 181 "edge_program Everything"
}  // namespace program

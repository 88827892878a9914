#line 2 "edge_program widest_f64"
// The program `widest_f64`, made by #[edge_program].
namespace program {

typedef wp::f64 Value;
typedef wp::f64 Message;
typedef wp::f64 Weight;
typedef wp::Unit Aggregate;

struct Params {
    wp::u8 unused;
};

static_assert(sizeof(Value) == WP_SIZE_VALUE, "Value is laid out as in Rust");
static_assert(sizeof(Message) == WP_SIZE_MESSAGE, "Message is laid out as in Rust");
static_assert(sizeof(Weight) == WP_SIZE_WEIGHT, "Weight is laid out as in Rust");

WP_FN wp::f64 widest_f64_fn(wp::f64 width_, wp::f64 capacity_, wp::Context& cx);

#line 76 "src/programs/widest_paths.rs"
WP_FN wp::f64 widest_f64_fn(wp::f64 width_, wp::f64 capacity_, wp::Context& cx) {  // widest_f64, f64, f64::INFINITY
#line 17
    return rust::min(width_, capacity_);  // width.min(capacity)
}

#line 27 "edge_program widest_f64"
WP_FN wp::Option<Message> edge(const Params& self, const wp::Edge<Value, Weight>& e, wp::Context& cx) {
    return wp::Some<Message>(widest_f64_fn(e.value, e.weight, cx));
}

}  // namespace program

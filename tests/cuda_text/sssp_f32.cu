#line 2 "edge_program sssp_f32"
// The program `sssp_f32`, made by #[edge_program].
namespace program {

typedef wp::f32 Value;
typedef wp::f32 Message;
typedef wp::f32 Weight;
typedef wp::Unit Aggregate;

struct Params {
    wp::u8 unused;
};

static_assert(sizeof(Value) == WP_SIZE_VALUE, "Value is laid out as in Rust");
static_assert(sizeof(Message) == WP_SIZE_MESSAGE, "Message is laid out as in Rust");
static_assert(sizeof(Weight) == WP_SIZE_WEIGHT, "Weight is laid out as in Rust");

WP_FN wp::f32 sssp_f32_fn(wp::f32 distance_, wp::f32 weight_, wp::Context& cx);

#line 62 "src/programs/shortest_paths.rs"
WP_FN wp::f32 sssp_f32_fn(wp::f32 distance_, wp::f32 weight_, wp::Context& cx) {  // sssp_f32, f32, 0.0
#line 17
    return distance_ + weight_;  // distance + weight
}

#line 27 "edge_program sssp_f32"
WP_FN wp::Option<Message> edge(const Params& self, const wp::Edge<Value, Weight>& e, wp::Context& cx) {
    return wp::Some<Message>(sssp_f32_fn(e.value, e.weight, cx));
}

}  // namespace program

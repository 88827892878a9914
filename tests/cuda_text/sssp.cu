#line 2 "edge_program sssp"
// The program `sssp`, made by #[edge_program].
namespace program {

typedef wp::u32 Value;
typedef wp::u32 Message;
typedef wp::u32 Weight;
typedef wp::Unit Aggregate;

struct Params {
    wp::u8 unused;
};

static_assert(sizeof(Value) == WP_SIZE_VALUE, "Value is laid out as in Rust");
static_assert(sizeof(Message) == WP_SIZE_MESSAGE, "Message is laid out as in Rust");
static_assert(sizeof(Weight) == WP_SIZE_WEIGHT, "Weight is laid out as in Rust");

WP_FN wp::u32 sssp_fn(wp::u32 distance_, wp::u32 weight_, wp::Context& cx);

#line 34 "src/programs/shortest_paths.rs"
WP_FN wp::u32 sssp_fn(wp::u32 distance_, wp::u32 weight_, wp::Context& cx) {  // sssp, u32, 0
#line 17
    return rust::add(distance_, weight_, cx, 0);  // distance + weight
}

#line 27 "edge_program sssp"
WP_FN wp::Option<Message> edge(const Params& self, const wp::Edge<Value, Weight>& e, wp::Context& cx) {
    return wp::Some<Message>(sssp_fn(e.value, e.weight, cx));
}

}  // namespace program

#line 2 "edge_program Components"
// The program `Components`, made by #[edge_program].
namespace program {

typedef wp::u64 Value;
typedef wp::u64 Message;
typedef wp::Unit Weight;
typedef wp::Unit Aggregate;

struct Params {
    wp::u8 unused;
};

static_assert(sizeof(Value) == WP_SIZE_VALUE, "Value is laid out as in Rust");
static_assert(sizeof(Message) == WP_SIZE_MESSAGE, "Message is laid out as in Rust");

#line 34 "src/programs/components.rs"
WP_FN wp::u64 user_start(const Params& self, const wp::Vertex<wp::Unit, Aggregate>& v_, wp::Context& cx) {  // fn start(&self, v: Vertex) -> u64 {
    return v_.id;  // v.id
}

#line 23 "edge_program Components"
WP_FN wp::Option<Value> start(const Params& self, const wp::Vertex<wp::Unit, Aggregate>& v, wp::Context& cx) {
    return wp::Some<Value>(user_start(self, v, cx));
}

#line 38 "src/programs/components.rs"
WP_FN wp::u64 user_edge(const Params& self, const wp::Edge<Value, Weight>& e_, wp::Context& cx) {  // fn edge(&self, e: Edge<u64>) -> u64 {
    return e_.value;  // e.value
}

#line 33 "edge_program Components"
WP_FN wp::Option<Message> edge(const Params& self, const wp::Edge<Value, Weight>& e, wp::Context& cx) {
    return wp::Some<Message>(user_edge(self, e, cx));
}

}  // namespace program

#line 2 "edge_program bfs"
// The program `bfs`, made by #[edge_program].
namespace program {

typedef wp::u32 Value;
typedef wp::u32 Message;
typedef wp::Unit Weight;
typedef wp::Unit Aggregate;

struct Params {
    wp::u8 unused;
};

static_assert(sizeof(Value) == WP_SIZE_VALUE, "Value is laid out as in Rust");
static_assert(sizeof(Message) == WP_SIZE_MESSAGE, "Message is laid out as in Rust");

WP_FN wp::u32 bfs_fn(wp::u32 depth_, wp::Context& cx);

#line 33 "src/programs/breadth_first.rs"
WP_FN wp::u32 bfs_fn(wp::u32 depth_, wp::Context& cx) {  // bfs, u32, 0, 1
#line 16
    return rust::add(depth_, 1u, cx, 0);  // depth + $one
}

#line 26 "edge_program bfs"
WP_FN wp::Option<Message> edge(const Params& self, const wp::Edge<Value, Weight>& e, wp::Context& cx) {
    return wp::Some<Message>(bfs_fn(e.value, cx));
}

}  // namespace program

#line 2 "edge_program reach"
// The program `reach`, made by #[edge_program].
namespace program {

typedef bool Value;
typedef bool Message;
typedef wp::Unit Weight;
typedef wp::Unit Aggregate;

struct Params {
    wp::u8 unused;
};

static_assert(sizeof(Value) == WP_SIZE_VALUE, "Value is laid out as in Rust");
static_assert(sizeof(Message) == WP_SIZE_MESSAGE, "Message is laid out as in Rust");

WP_FN bool reach_fn(bool reached_, wp::Context& cx);

#line 20 "src/programs/reachability.rs"
WP_FN bool reach_fn(bool reached_, wp::Context& cx) {  // pub fn reach(reached: bool) -> bool {
    return reached_;  // reached
}

#line 25 "edge_program reach"
WP_FN wp::Option<Message> edge(const Params& self, const wp::Edge<Value, Weight>& e, wp::Context& cx) {
    return wp::Some<Message>(reach_fn(e.value, cx));
}

}  // namespace program

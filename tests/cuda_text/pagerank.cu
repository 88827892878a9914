#line 2 "edge_program PageRank"
// The program `PageRank`, made by #[edge_program].
namespace program {

typedef wp::f32 Value;
typedef wp::f32 Message;
typedef wp::Unit Weight;
typedef wp::f64 Aggregate;

struct Params {
    wp::f32 damping_;
    wp::f32 tolerance_;
};

static_assert(sizeof(Value) == WP_SIZE_VALUE, "Value is laid out as in Rust");
static_assert(sizeof(Message) == WP_SIZE_MESSAGE, "Message is laid out as in Rust");
static_assert(sizeof(Aggregate) == WP_SIZE_AGGREGATE, "Aggregate is laid out as in Rust");
static_assert(sizeof(Params) == WP_SIZE_PARAMS, "Params is laid out as in Rust");

#line 37 "src/programs/pagerank.rs"
WP_FN wp::f32 user_start(const Params& self, const wp::Vertex<wp::Unit, Aggregate>& v_, wp::Context& cx) {  // fn start(&self, v: Vertex) -> $float {
    return 1.0f / rust::cast<wp::f32>(v_.vertices);  // 1.0 / v.vertices as $float
}

#line 26 "edge_program PageRank"
WP_FN wp::Option<Value> start(const Params& self, const wp::Vertex<wp::Unit, Aggregate>& v, wp::Context& cx) {
    return wp::Some<Value>(user_start(self, v, cx));
}

#line 40 "src/programs/pagerank.rs"
WP_FN wp::f32 user_edge(const Params& self, const wp::Edge<Value, Weight>& e_, wp::Context& cx) {  // fn edge(&self, e: Edge<$float>) -> $float {
    return e_.value / rust::cast<wp::f32>(e_.out_degree);  // e.value / e.out_degree as $float
}

#line 36 "edge_program PageRank"
WP_FN wp::Option<Message> edge(const Params& self, const wp::Edge<Value, Weight>& e, wp::Context& cx) {
    return wp::Some<Message>(user_edge(self, e, cx));
}

#line 46 "src/programs/pagerank.rs"
WP_FN wp::f32 user_apply(const Params& self, const wp::Vertex<wp::f32, Aggregate>& v_, wp::f32 incoming_, wp::Context& cx) {  // fn apply(&self, v: Vertex<$float>, incoming: $float) -> $float {
    const wp::f32 n_ = rust::cast<wp::f32>(v_.vertices);  // let n = v.vertices as $float;
    return ((1.0f - self.damping_) / n_) + (self.damping_ * (incoming_ + (rust::cast<wp::f32>(v_.aggregate) / n_)));  // (1.0 - self.damping) / n + self.damping * (incoming + v.aggregate as $float / n)
}

#line 47 "edge_program PageRank"
WP_FN Value apply(const Params& self, const wp::Vertex<wp::Option<Value>, Aggregate>& v, wp::Option<Message> incoming, wp::Context& cx) {
    const wp::Vertex<Value, Aggregate> vertex = {v.id, v.index, v.value.value, v.out_degree, v.in_degree,
                                                  v.vertices, v.edges, v.step, v.aggregate};
    const wp::f32 message = incoming.some ? incoming.value : 0.0f;
    return user_apply(self, vertex, message, cx);
}

#line 50 "src/programs/pagerank.rs"
WP_FN bool changed(const Params& self, wp::f32 before_, wp::f32 after_, wp::Context& cx) {  // fn changed(&self, before: $float, after: $float) -> bool {
    return rust::abs(after_ - before_) > (self.tolerance_ * after_);  // (after - before).abs() > self.tolerance * after
}

#line 43
WP_FN wp::f64 aggregate(const Params& self, const wp::Vertex<wp::f32, Aggregate>& v_, wp::Context& cx) {  // fn aggregate(&self, v: Vertex<$float>) -> f64 {
    if (v_.out_degree == 0ull) {  // if v.out_degree == 0 { v.value as f64 } else { 0.0 }
#line 44
        return rust::cast<wp::f64>(v_.value);
    } else {
#line 44
        return 0.0;
    }
}

#line 71 "edge_program PageRank"
}  // namespace program

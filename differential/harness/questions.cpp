// Follows each program of a batch, which is called `program` here: calls its functions with an input. Their further
// arguments are results of the same program: messages come from `edge`, and folds from `aggregate`. `main.rs` defines
// PROGRAM_*, and `questions.rs` does the same in Rust.
namespace program {

static const Params ask_params{};

#if PROGRAM_READS_FOLD
typedef wp::Edge<Value, Weight, Aggregate> AskedEdge;
#else
typedef wp::Edge<Value, Weight> AskedEdge;
#endif

static Aggregate no_vertices() {
#if PROGRAM_HAS_FOLDS && PROGRAM_FOLDS == WP_FIELDS
    return no_fold();
#elif PROGRAM_HAS_FOLDS
    return wp::identity_number<PROGRAM_FOLDS, Aggregate>();
#else
    return Aggregate{};
#endif
}

/// Returns `fold` with one more vertex.
static Aggregate and_vertex(const Aggregate& fold, const Number* input, wp::Context& cx) {
#if PROGRAM_HAS_FOLDS
#if PROGRAM_READS_BEFORE
    wp::FoldedVertex<Value, Aggregate, Before> v{};
    hold(input[1], v.before);
#else
    wp::Vertex<Value, Aggregate> v{};
#endif
    look(v, input, no_vertices());
    v.value = input[0];
    const Aggregate part = aggregate(ask_params, v, cx);
#if PROGRAM_FOLDS == WP_FIELDS
    return folded(fold, part);
#else
    return wp::combine_numbers<PROGRAM_FOLDS>(fold, part);
#endif
#else
    return fold;
#endif
}

static Aggregate one_vertex(const Number* input, wp::Context& cx) { return and_vertex(no_vertices(), input, cx); }

static Aggregate two_vertices(const Number* input, wp::Context& cx) {
    const Aggregate one = one_vertex(input, cx);
    return and_vertex(one, Turned(input).numbers, cx);
}

static wp::Option<Aggregate> ask_aggregate(const Number* input, wp::Context& cx) {
    return wp::Some<Aggregate>(two_vertices(input, cx));
}

static wp::Option<Message> ask_edge(const Number* input, wp::Context& cx) {
    AskedEdge e{};
    e.value = input[0];
    e.weight = input[1];
    e.source = input[2];
    e.target = input[0];
    e.source_index = (wp::u32)input[2];
    e.target_index = (wp::u32)input[0];
    e.out_degree = input[1];
    e.step = input[2];
    e.forward = input[1] % 2 == 1;
    e.place = input[0];
#if PROGRAM_READS_FOLD
    e.aggregate = two_vertices(input, cx);
#endif
    return edge(ask_params, e, cx);
}

static wp::Option<Message> ask_combine(const Number* input, wp::Context& cx) {
    const wp::Option<Message> a = ask_edge(input, cx);
    const wp::Option<Message> b = ask_edge(Turned(input).numbers, cx);
    if (cx.fault || !a.some || !b.some) return wp::None<Message>();
#if PROGRAM_COMBINE == WP_CUSTOM
    return wp::Some<Message>(combine(ask_params, a.value, b.value, cx));
#elif PROGRAM_BY_FIELD
    Accumulator both = accumulated(a.value);
    join(both, accumulated(b.value));
    return wp::Some<Message>(combined(both));
#else
    return wp::Some<Message>(wp::combine_numbers<PROGRAM_COMBINE>(a.value, b.value));
#endif
}

static wp::Option<Value> ask_start(const Number* input, wp::Context& cx) {
    wp::Vertex<wp::Unit, Aggregate> v{};
    look(v, input, no_vertices());
    return start(ask_params, v, cx);
}

#if PROGRAM_HAS_APPLY
static wp::Option<Value> ask_apply(const Number* input, wp::Context& cx) {
    const wp::Option<Message> incoming = ask_edge(input, cx);
    if (cx.fault || !(incoming.some || PROGRAM_COMPUTES_WITHOUT_MESSAGE)) return wp::None<Value>();
    wp::Vertex<wp::Option<Value>, Aggregate> v{};
    look(v, input, two_vertices(input, cx));
#if PROGRAM_MAY_HAVE_NO_VALUE
    v.value = optional(input[0]);
    cx.before = OPTIONS;
#else
    v.value = wp::Some<Value>(input[0]);
    cx.before = VALUES;
#endif
    cx.vertices = sizeof(VALUES) / sizeof(Number);
    return wp::Some<Value>(apply(ask_params, v, incoming, cx));
}
#endif

#if PROGRAM_HAS_CHANGED
static wp::Option<bool> ask_changed(const Number* input, wp::Context& cx) {
    return wp::Some<bool>(changed(ask_params, input[0], input[1], cx));
}
#endif

static wp::Vertex<Value, Aggregate> asked_vertex(const Number* input, wp::Context& cx) {
    wp::Vertex<Value, Aggregate> v{};
    look(v, input, two_vertices(input, cx));
    v.value = input[0];
    return v;
}

#if PROGRAM_HAS_SENDS
static wp::Option<bool> ask_sends(const Number* input, wp::Context& cx) {
    return wp::Some<bool>(sends(ask_params, asked_vertex(input, cx), cx));
}
#endif

#if PROGRAM_HAS_HALTS
static wp::Option<bool> ask_halts(const Number* input, wp::Context& cx) {
    return wp::Some<bool>(halts(ask_params, asked_vertex(input, cx), cx));
}
#endif

#if PROGRAM_HAS_PRIORITY
static wp::Option<wp::u64> ask_priority(const Number* input, wp::Context& cx) {
    return wp::Some<wp::u64>(priority(ask_params, asked_vertex(input, cx), cx));
}
#endif

#if PROGRAM_HAS_FINISHED
static wp::Option<bool> ask_finished(const Number* input, wp::Context& cx) {
    const Aggregate before = one_vertex(input, cx);
    const Aggregate now = two_vertices(input, cx);
    return wp::Some<bool>(finished(ask_params, before, now, input[2], cx));
}
#endif

}  // namespace program

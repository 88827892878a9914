// The definitions that every header and every generated program share: fixed-width numbers, Option, the edges and
// vertices that a program sees, and the context that carries a fault out of it. This file includes no CUDA header, so
// it also compiles as host C++, for tests, if WP_FN is defined beforehand.
#pragma once

#ifndef WP_FN
#define WP_FN static __device__ __forceinline__
#endif

/// Declares a function that is used in many places or runs rarely. It is not inlined, which keeps the code small but
/// costs a call.
#ifndef WP_CALL
#define WP_CALL static __device__ __noinline__
#endif

/// Declares a table of constants.
#ifdef __CUDACC__
#define WP_DATA static __device__ const
#else
#define WP_DATA static const
#endif

// The combiners.
#define WP_MIN 0
#define WP_MAX 1
#define WP_SUM 2
#define WP_OR 3
#define WP_AND 4
#define WP_ANY 5
#define WP_CUSTOM 6
#define WP_FIELDS 7
#define WP_MOST_FREQUENT 8

namespace wp {

typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;
typedef float f32;
typedef double f64;

static_assert(sizeof(u32) == 4 && sizeof(u64) == 8 && sizeof(f32) == 4 && sizeof(f64) == 8 && sizeof(bool) == 1,
              "numbers must have the same size on the device as in Rust");

/// Mask of all lanes of a warp.
constexpr u32 ALL_LANES = 0xffffffffu;

/// Rust's `()`. Stands for a weight, aggregate or value that the program does not have.
struct Unit {};

/// Rust's `Option<T>`. `value` is zero-initialized if `some` is false, so copying it is always defined.
template <typename T>
struct Option {
    bool some;
    T value;
};

template <typename T>
WP_FN Option<T> Some(T value) { return Option<T>{true, value}; }

template <typename T>
WP_FN Option<T> None() { return Option<T>{false, T{}}; }

/// Rust's tuples of two to eight elements.
template <typename A, typename B> struct Tuple2 { A _0; B _1; };
template <typename A, typename B, typename C> struct Tuple3 { A _0; B _1; C _2; };
template <typename A, typename B, typename C, typename D> struct Tuple4 { A _0; B _1; C _2; D _3; };
template <typename A, typename B, typename C, typename D, typename E>
struct Tuple5 { A _0; B _1; C _2; D _3; E _4; };
template <typename A, typename B, typename C, typename D, typename E, typename F>
struct Tuple6 { A _0; B _1; C _2; D _3; E _4; F _5; };
template <typename A, typename B, typename C, typename D, typename E, typename F, typename G>
struct Tuple7 { A _0; B _1; C _2; D _3; E _4; F _5; G _6; };
template <typename A, typename B, typename C, typename D, typename E, typename F, typename G, typename H>
struct Tuple8 { A _0; B _1; C _2; D _3; E _4; F _5; G _6; H _7; };

/// Rust's arrays.
template <typename T, u64 N>
struct Array {
    T at[N];
};

/// Argument of `edge`, with the fields of Rust's `Edge<V, W, A>`. Fields that the program does not read are zero; if it
/// does not read the aggregate, `A` is `Unit`.
template <typename V, typename W, typename A = Unit>
struct Edge {
    V value;
    W weight;
    u64 source;
    u64 target;
    u32 source_index;
    u32 target_index;
    u64 out_degree;
    u64 step;
    A aggregate;
    bool forward;
    u64 place;
};

/// Argument of the functions at a vertex, with the fields of Rust's `Vertex<V, A>`.
template <typename V, typename A>
struct Vertex {
    u64 id;
    u32 index;
    V value;
    u64 out_degree;
    u64 in_degree;
    u64 vertices;
    u64 edges;
    u64 step;
    u64 level;
    A aggregate;
    u64 neighbours;
};

/// Argument of an `aggregate` that reads the value before the last step, with the field `before` of Rust's
/// `Vertex<V, A, B>`.
template <typename V, typename A, typename B>
struct FoldedVertex : Vertex<V, A> {
    B before;
};

/// Counts of what the two ends of an edge share. A program that reads a count has no weight, so the count takes its
/// place. Two counts share a number of 64 bits.
template <typename V, typename A>
WP_FN u64 common_neighbours(const Edge<V, u32, A>& e) { return e.weight; }

template <typename V, typename A>
WP_FN u64 common_neighbours(const Edge<V, u64, A>& e) { return (u32)e.weight; }

template <typename V, typename A>
WP_FN u64 common_edges(const Edge<V, u32, A>& e) { return e.weight; }

template <typename V, typename A>
WP_FN u64 common_edges(const Edge<V, u64, A>& e) { return e.weight >> 32; }

/// An input of a program, Rust's `PerVertex<T>`: one value per vertex, in the order of `index`, `source_index` and
/// `target_index`. It occupies 8 bytes of the parameters, which the host fills with the array's address.
template <typename T>
struct PerVertex {
    const T* values;
};

template <typename T, typename V, typename A>
WP_FN T of(PerVertex<T> input, const Vertex<V, A>& v) { return input.values[v.index]; }

template <typename T, typename V, typename W, typename A>
WP_FN T of_source(PerVertex<T> input, const Edge<V, W, A>& e) { return input.values[e.source_index]; }

template <typename T, typename V, typename W, typename A>
WP_FN T of_target(PerVertex<T> input, const Edge<V, W, A>& e) { return input.values[e.target_index]; }

/// An input of a program, Rust's `VertexSet`: one bit per vertex, in the same order as `PerVertex`.
struct VertexSet {
    const u32* words;
};

WP_FN bool holds(VertexSet set, u32 index) { return set.words[index >> 5] >> (index & 31) & 1; }

template <typename V, typename A>
WP_FN bool contains(VertexSet set, const Vertex<V, A>& v) { return holds(set, v.index); }

template <typename V, typename W, typename A>
WP_FN bool contains_source(VertexSet set, const Edge<V, W, A>& e) { return holds(set, e.source_index); }

template <typename V, typename W, typename A>
WP_FN bool contains_target(VertexSet set, const Edge<V, W, A>& e) { return holds(set, e.target_index); }

/// Context of a call of the program's functions. It carries the first fault out of them: 0, or the number of the
/// fault's site (its position in the program) plus one. The compiler keeps this number in a register, and removes it if
/// the program cannot fault. In programs with loops, the context also carries the state that stops the loops.
struct Context {
    u32 fault;
#if WP_HAS_LOOPS
    u32 turns;        // iterations of this thread's loops so far
    const u32* stop;  // a word that is nonzero if the run must end; null if the run cannot be stopped
#endif
#if WP_READS_VALUES_AT
    const void* before;  // values of all vertices before the step, by index
    u32 vertices;
#endif
};

/// Fault of a run that was stopped. No site in a program has this number.
constexpr u32 STOPPED = 0xffffffffu;

/// Records the fault at `site` unless an earlier fault is recorded. The caller continues with a defined but meaningless
/// value.
WP_FN void fault(Context& context, u32 site) {
    if (context.fault == 0) context.fault = site + 1;
}

#if WP_READS_VALUES_AT
/// Returns the value before this step of the vertex with this index. `T` is the type of `v.value` in `apply`.
template <typename T>
WP_FN T value_at(u32 index, u32 site, Context& context) {
    if (index < context.vertices) return ((const T*)context.before)[index];
    fault(context, site);
    return T{};
}
#endif

/// Called before every iteration of a program's loops. Returns `false` after a fault or if the run was stopped, so that
/// no loop is endless. Polls the stop word in every 4,096th iteration only. Once it has found the word set, it polls in
/// every iteration.
WP_FN bool go_on(Context& context) {
#if WP_HAS_LOOPS
    if ((++context.turns & 4095u) == 0 && context.stop && *(const volatile u32*)context.stop != 0) {
        context.turns -= 1;
        fault(context, STOPPED - 1);
    }
#endif
    return context.fault == 0;
}

}  // namespace wp

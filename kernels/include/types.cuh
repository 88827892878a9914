// The words that every header and every generated program share: fixed-width numbers, Option, what an edge and a
// vertex look like to a program, and the context that carries a fault out of it. No CUDA header is needed, so the
// file also compiles as host C++ (for tests) when WP_FN is defined beforehand.
#pragma once

#ifndef WP_FN
#define WP_FN static __device__ __forceinline__
#endif

/// How a function is declared that is needed in many places, or runs once in a while: compiled once, it costs a call.
#ifndef WP_CALL
#define WP_CALL static __device__ __noinline__
#endif

/// How a table of constants is declared.
#ifdef __CUDACC__
#define WP_DATA static __device__ const
#else
#define WP_DATA static const
#endif

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
              "the device lays numbers out as Rust does");

/// Rust's `()`: the weight, aggregate or value that a program does not have.
struct Unit {};

/// Rust's `Option<T>`. `value` is zeroes when `some` is false, so copying it is always defined.
template <typename T>
struct Option {
    bool some;
    T value;
};

template <typename T>
WP_FN Option<T> Some(T value) { return Option<T>{true, value}; }

template <typename T>
WP_FN Option<T> None() { return Option<T>{false, T{}}; }

/// Rust's tuples of two to eight parts.
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

/// What `edge` sees; the fields of Rust's `Edge<V, W>`. Fields that the program does not read hold zero.
template <typename V, typename W>
struct Edge {
    V value;
    W weight;
    u64 source;
    u64 target;
    u32 source_index;
    u32 target_index;
    u64 out_degree;
};

/// What the functions at a vertex see; the fields of Rust's `Vertex<V, A>`.
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
    A aggregate;
};

/// An input of a program, Rust's `PerVertex<T>`: a datum for every vertex, in the order in which `index`,
/// `source_index` and `target_index` count. 8 bytes of the parameters, which the host fills with the array's address.
template <typename T>
struct PerVertex {
    const T* values;
};

template <typename T, typename V, typename A>
WP_FN T of(PerVertex<T> input, const Vertex<V, A>& v) { return input.values[v.index]; }

template <typename T, typename V, typename W>
WP_FN T of_source(PerVertex<T> input, const Edge<V, W>& e) { return input.values[e.source_index]; }

template <typename T, typename V, typename W>
WP_FN T of_target(PerVertex<T> input, const Edge<V, W>& e) { return input.values[e.target_index]; }

/// An input of a program, Rust's `VertexSet`: a bit for every vertex, in the same order.
struct VertexSet {
    const u32* words;
};

WP_FN bool holds(VertexSet set, u32 index) { return set.words[index >> 5] >> (index & 31) & 1; }

template <typename V, typename A>
WP_FN bool contains(VertexSet set, const Vertex<V, A>& v) { return holds(set, v.index); }

template <typename V, typename W>
WP_FN bool contains_source(VertexSet set, const Edge<V, W>& e) { return holds(set, e.source_index); }

template <typename V, typename W>
WP_FN bool contains_target(VertexSet set, const Edge<V, W>& e) { return holds(set, e.target_index); }

/// Travels through a program's functions and carries the first fault out of them: 0, or the fault's site plus one.
/// A register in practice; a program that cannot fault costs nothing. Programs with loops of their own also carry what
/// stops them.
struct Context {
    u32 fault;
#if WP_HAS_LOOPS
    u32 turns;        // of this thread's loops so far
    const u32* stop;  // not 0 there: the run shall end. Null: nobody can stop it
#endif
};

/// The fault of a run that was told to stop: the site of no place in a program, plus one.
constexpr u32 STOPPED = 0xffffffffu;

/// Records the fault at `site` unless an earlier one stands. The caller goes on with a defined value of no meaning.
WP_FN void fault(Context& context, u32 site) {
    if (context.fault == 0) context.fault = site + 1;
}

/// Asked before every turn of a program's loops: false when a fault stands, or when the run was told to stop, so that
/// no loop is endless. Looks at the word that says so in every 4,096th turn only; once it was seen, in every turn.
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

// Support for the parts of the program language that go beyond numbers: arrays and their indices, ranges with steps,
// and comparisons of tuples, arrays and options. Also compiles as host C++.
#pragma once

namespace rust {

// ---- arrays -------------------------------------------------------------------------------------------------------

/// Returns the index if it is below the length; otherwise returns 0 and records a fault.
WP_FN u64 index(u64 at, u64 length, Context& cx, u32 site) {
    if (at < length) return at;
    fault(cx, site);
    return 0;
}

template <typename A>
struct ElementOf;
template <typename T, u64 N>
struct ElementOf<wp::Array<T, N>> {
    typedef T type;
    static const u64 length = N;
};

/// Builds `[value; N]`.
template <typename A>
WP_FN A filled(typename ElementOf<A>::type value) {
    A array;
    for (u64 at = 0; at < ElementOf<A>::length; at++) array.at[at] = value;
    return array;
}

// ---- ranges -------------------------------------------------------------------------------------------------------

/// Numbers of a range, computed from the number of the iteration. Iterations are numbered from 0 to `last`; there are
/// none if `any` is false.
template <typename T>
struct Steps {
    T first;
    u64 last;
    u64 width;
    bool any;
    bool down;
};

template <typename T>
WP_FN Steps<T> steps(T first, T end, bool inclusive) {
    const bool any = inclusive ? first <= end : first < end;
    // The distance is below 2^64 for every type. It is computed in unsigned arithmetic, so it always fits.
    const u64 distance = (u64)(Unsigned<T>)((Unsigned<T>)end - (Unsigned<T>)first);
    return Steps<T>{first, any ? distance - (inclusive ? 0 : 1) : 0, 1, any, false};
}

/// Returns the number at an iteration.
template <typename T>
WP_FN T step(const Steps<T>& steps, u64 turn) {
    const u64 distance = turn * steps.width;
    const u64 first = (u64)(Unsigned<T>)steps.first;
    return (T)(Unsigned<T>)(steps.down ? first - distance : first + distance);
}

template <typename T>
WP_FN Steps<T> reversed(const Steps<T>& steps) {
    return Steps<T>{step(steps, steps.last), steps.last, steps.width, steps.any, !steps.down};
}

/// Returns every `width`th number of a range, including the first. A width of zero is a fault.
template <typename T>
WP_FN Steps<T> stepped(const Steps<T>& steps, u64 width, Context& cx, u32 site) {
    if (width == 0) fault(cx, site);
    const u64 every = width == 0 ? 1 : width;
    return Steps<T>{steps.first, steps.last / every, steps.width * every, steps.any && width != 0, steps.down};
}

// ---- comparison ---------------------------------------------------------------------------------------------------

/// `equal` is Rust's `==`. `order` returns -1, 0 or 1, or 2 if the values are unordered because of a NaN.
template <typename T> WP_FN bool equal(T a, T b) { return a == b; }
template <typename T> WP_FN int order(T a, T b) { return a < b ? -1 : a == b ? 0 : a > b ? 1 : 2; }

template <typename T> WP_FN bool equal(const wp::Option<T>& a, const wp::Option<T>& b);
template <typename T> WP_FN int order(const wp::Option<T>& a, const wp::Option<T>& b);
template <typename T, u64 N> WP_FN bool equal(const wp::Array<T, N>& a, const wp::Array<T, N>& b);
template <typename T, u64 N> WP_FN int order(const wp::Array<T, N>& a, const wp::Array<T, N>& b);

/// Declares the comparisons of all tuples before defining any, since tuples may be nested.
template <typename A, typename B>
WP_FN bool equal(const wp::Tuple2<A, B>& a, const wp::Tuple2<A, B>& b);
template <typename A, typename B>
WP_FN int order(const wp::Tuple2<A, B>& a, const wp::Tuple2<A, B>& b);
template <typename A, typename B, typename C>
WP_FN bool equal(const wp::Tuple3<A, B, C>& a, const wp::Tuple3<A, B, C>& b);
template <typename A, typename B, typename C>
WP_FN int order(const wp::Tuple3<A, B, C>& a, const wp::Tuple3<A, B, C>& b);
template <typename A, typename B, typename C, typename D>
WP_FN bool equal(const wp::Tuple4<A, B, C, D>& a, const wp::Tuple4<A, B, C, D>& b);
template <typename A, typename B, typename C, typename D>
WP_FN int order(const wp::Tuple4<A, B, C, D>& a, const wp::Tuple4<A, B, C, D>& b);
template <typename A, typename B, typename C, typename D, typename E>
WP_FN bool equal(const wp::Tuple5<A, B, C, D, E>& a, const wp::Tuple5<A, B, C, D, E>& b);
template <typename A, typename B, typename C, typename D, typename E>
WP_FN int order(const wp::Tuple5<A, B, C, D, E>& a, const wp::Tuple5<A, B, C, D, E>& b);
template <typename A, typename B, typename C, typename D, typename E, typename F>
WP_FN bool equal(const wp::Tuple6<A, B, C, D, E, F>& a, const wp::Tuple6<A, B, C, D, E, F>& b);
template <typename A, typename B, typename C, typename D, typename E, typename F>
WP_FN int order(const wp::Tuple6<A, B, C, D, E, F>& a, const wp::Tuple6<A, B, C, D, E, F>& b);
template <typename A, typename B, typename C, typename D, typename E, typename F, typename G>
WP_FN bool equal(const wp::Tuple7<A, B, C, D, E, F, G>& a, const wp::Tuple7<A, B, C, D, E, F, G>& b);
template <typename A, typename B, typename C, typename D, typename E, typename F, typename G>
WP_FN int order(const wp::Tuple7<A, B, C, D, E, F, G>& a, const wp::Tuple7<A, B, C, D, E, F, G>& b);
template <typename A, typename B, typename C, typename D, typename E, typename F, typename G, typename H>
WP_FN bool equal(const wp::Tuple8<A, B, C, D, E, F, G, H>& a, const wp::Tuple8<A, B, C, D, E, F, G, H>& b);
template <typename A, typename B, typename C, typename D, typename E, typename F, typename G, typename H>
WP_FN int order(const wp::Tuple8<A, B, C, D, E, F, G, H>& a, const wp::Tuple8<A, B, C, D, E, F, G, H>& b);

/// Compares tuples element by element; a later element matters only if all earlier ones are equal.
#define WP_THEN(part) if (result == 0) result = order(a.part, b.part)
#define WP_EQUAL(part) equal(a.part, b.part)

template <typename A, typename B>
WP_FN bool equal(const wp::Tuple2<A, B>& a, const wp::Tuple2<A, B>& b) {
    return WP_EQUAL(_0) && WP_EQUAL(_1);
}
template <typename A, typename B>
WP_FN int order(const wp::Tuple2<A, B>& a, const wp::Tuple2<A, B>& b) {
    int result = order(a._0, b._0);
    WP_THEN(_1);
    return result;
}

template <typename A, typename B, typename C>
WP_FN bool equal(const wp::Tuple3<A, B, C>& a, const wp::Tuple3<A, B, C>& b) {
    return WP_EQUAL(_0) && WP_EQUAL(_1) && WP_EQUAL(_2);
}
template <typename A, typename B, typename C>
WP_FN int order(const wp::Tuple3<A, B, C>& a, const wp::Tuple3<A, B, C>& b) {
    int result = order(a._0, b._0);
    WP_THEN(_1);
    WP_THEN(_2);
    return result;
}

template <typename A, typename B, typename C, typename D>
WP_FN bool equal(const wp::Tuple4<A, B, C, D>& a, const wp::Tuple4<A, B, C, D>& b) {
    return WP_EQUAL(_0) && WP_EQUAL(_1) && WP_EQUAL(_2) && WP_EQUAL(_3);
}
template <typename A, typename B, typename C, typename D>
WP_FN int order(const wp::Tuple4<A, B, C, D>& a, const wp::Tuple4<A, B, C, D>& b) {
    int result = order(a._0, b._0);
    WP_THEN(_1);
    WP_THEN(_2);
    WP_THEN(_3);
    return result;
}

template <typename A, typename B, typename C, typename D, typename E>
WP_FN bool equal(const wp::Tuple5<A, B, C, D, E>& a, const wp::Tuple5<A, B, C, D, E>& b) {
    return WP_EQUAL(_0) && WP_EQUAL(_1) && WP_EQUAL(_2) && WP_EQUAL(_3) &&
           WP_EQUAL(_4);
}
template <typename A, typename B, typename C, typename D, typename E>
WP_FN int order(const wp::Tuple5<A, B, C, D, E>& a, const wp::Tuple5<A, B, C, D, E>& b) {
    int result = order(a._0, b._0);
    WP_THEN(_1);
    WP_THEN(_2);
    WP_THEN(_3);
    WP_THEN(_4);
    return result;
}

template <typename A, typename B, typename C, typename D, typename E, typename F>
WP_FN bool equal(const wp::Tuple6<A, B, C, D, E, F>& a, const wp::Tuple6<A, B, C, D, E, F>& b) {
    return WP_EQUAL(_0) && WP_EQUAL(_1) && WP_EQUAL(_2) && WP_EQUAL(_3) &&
           WP_EQUAL(_4) && WP_EQUAL(_5);
}
template <typename A, typename B, typename C, typename D, typename E, typename F>
WP_FN int order(const wp::Tuple6<A, B, C, D, E, F>& a, const wp::Tuple6<A, B, C, D, E, F>& b) {
    int result = order(a._0, b._0);
    WP_THEN(_1);
    WP_THEN(_2);
    WP_THEN(_3);
    WP_THEN(_4);
    WP_THEN(_5);
    return result;
}

template <typename A, typename B, typename C, typename D, typename E, typename F, typename G>
WP_FN bool equal(const wp::Tuple7<A, B, C, D, E, F, G>& a, const wp::Tuple7<A, B, C, D, E, F, G>& b) {
    return WP_EQUAL(_0) && WP_EQUAL(_1) && WP_EQUAL(_2) && WP_EQUAL(_3) &&
           WP_EQUAL(_4) && WP_EQUAL(_5) && WP_EQUAL(_6);
}
template <typename A, typename B, typename C, typename D, typename E, typename F, typename G>
WP_FN int order(const wp::Tuple7<A, B, C, D, E, F, G>& a, const wp::Tuple7<A, B, C, D, E, F, G>& b) {
    int result = order(a._0, b._0);
    WP_THEN(_1);
    WP_THEN(_2);
    WP_THEN(_3);
    WP_THEN(_4);
    WP_THEN(_5);
    WP_THEN(_6);
    return result;
}

template <typename A, typename B, typename C, typename D, typename E, typename F, typename G, typename H>
WP_FN bool equal(const wp::Tuple8<A, B, C, D, E, F, G, H>& a, const wp::Tuple8<A, B, C, D, E, F, G, H>& b) {
    return WP_EQUAL(_0) && WP_EQUAL(_1) && WP_EQUAL(_2) && WP_EQUAL(_3) &&
           WP_EQUAL(_4) && WP_EQUAL(_5) && WP_EQUAL(_6) && WP_EQUAL(_7);
}
template <typename A, typename B, typename C, typename D, typename E, typename F, typename G, typename H>
WP_FN int order(const wp::Tuple8<A, B, C, D, E, F, G, H>& a, const wp::Tuple8<A, B, C, D, E, F, G, H>& b) {
    int result = order(a._0, b._0);
    WP_THEN(_1);
    WP_THEN(_2);
    WP_THEN(_3);
    WP_THEN(_4);
    WP_THEN(_5);
    WP_THEN(_6);
    WP_THEN(_7);
    return result;
}

#undef WP_THEN
#undef WP_EQUAL

/// `None` is less than any `Some`.
template <typename T>
WP_FN bool equal(const wp::Option<T>& a, const wp::Option<T>& b) {
    return a.some == b.some && (!a.some || equal(a.value, b.value));
}
template <typename T>
WP_FN int order(const wp::Option<T>& a, const wp::Option<T>& b) {
    return a.some && b.some ? order(a.value, b.value) : order((u32)a.some, (u32)b.some);
}

template <typename T, u64 N>
WP_FN bool equal(const wp::Array<T, N>& a, const wp::Array<T, N>& b) {
    for (u64 at = 0; at < N; at++) {
        if (!equal(a.at[at], b.at[at])) return false;
    }
    return true;
}
template <typename T, u64 N>
WP_FN int order(const wp::Array<T, N>& a, const wp::Array<T, N>& b) {
    int result = 0;
    for (u64 at = 0; at < N && result == 0; at++) result = order(a.at[at], b.at[at]);
    return result;
}

/// Returns `true` if two arrays are equal bit for bit, element by element.
template <typename T, u64 N>
WP_FN bool same(const wp::Array<T, N>& a, const wp::Array<T, N>& b) {
    for (u64 at = 0; at < N; at++) {
        if (!same(a.at[at], b.at[at])) return false;
    }
    return true;
}

}  // namespace rust

// Representation of values and messages that atomics combine: unsigned words of 4 or 8 bytes.
//
// For `min` and `max`, a word is the number's key: an unsigned integer in the same order as the numbers (including
// floats, with -0 below +0). One integer atomic therefore serves every type. For the other combiners, a word is the
// number's bits. A word that holds nothing yet is the combiner's identity. If a value's word could equal the identity,
// a separate bit records whether a vertex has a value. NaN, which `min` and `max` drop, is represented by the identity.
#pragma once

namespace wp {

template <u32 bytes> struct WordOf { typedef u32 type; };
template <> struct WordOf<8> { typedef u64 type; };

/// The word that represents a number of type T.
template <typename T>
using Word = typename WordOf<sizeof(T)>::type;

template <typename T> struct IsFloat { static constexpr bool value = false; };
template <> struct IsFloat<f32> { static constexpr bool value = true; };
template <> struct IsFloat<f64> { static constexpr bool value = true; };

WP_FN u32 bits(bool x) { return x ? 1u : 0u; }
WP_FN u32 bits(u32 x) { return x; }
WP_FN u32 bits(i32 x) { return (u32)x; }
WP_FN u64 bits(u64 x) { return x; }
WP_FN u64 bits(i64 x) { return (u64)x; }
WP_FN u32 bits(f32 x) { return __float_as_uint(x); }
WP_FN u64 bits(f64 x) { return (u64)__double_as_longlong(x); }

WP_FN void from_bits(u32 word, bool& x) { x = word != 0; }
WP_FN void from_bits(u32 word, u32& x) { x = word; }
WP_FN void from_bits(u32 word, i32& x) { x = (i32)word; }
WP_FN void from_bits(u64 word, u64& x) { x = word; }
WP_FN void from_bits(u64 word, i64& x) { x = (i64)word; }
WP_FN void from_bits(u32 word, f32& x) { x = __uint_as_float(word); }
WP_FN void from_bits(u64 word, f64& x) { x = __longlong_as_double((i64)word); }

template <typename W>
constexpr W SIGN = (W)1 << (sizeof(W) * 8 - 1);

WP_FN u32 key(u32 x) { return x; }
WP_FN u64 key(u64 x) { return x; }
WP_FN u32 key(i32 x) { return (u32)x ^ SIGN<u32>; }
WP_FN u64 key(i64 x) { return (u64)x ^ SIGN<u64>; }
WP_FN u32 key(f32 x) { u32 b = bits(x); return b & SIGN<u32> ? ~b : b | SIGN<u32>; }
WP_FN u64 key(f64 x) { u64 b = bits(x); return b & SIGN<u64> ? ~b : b | SIGN<u64>; }

WP_FN void from_key(u32 word, u32& x) { x = word; }
WP_FN void from_key(u64 word, u64& x) { x = word; }
WP_FN void from_key(u32 word, i32& x) { x = (i32)(word ^ SIGN<u32>); }
WP_FN void from_key(u64 word, i64& x) { x = (i64)(word ^ SIGN<u64>); }
WP_FN void from_key(u32 word, f32& x) { from_bits(word & SIGN<u32> ? word ^ SIGN<u32> : ~word, x); }
WP_FN void from_key(u64 word, f64& x) { from_bits(word & SIGN<u64> ? word ^ SIGN<u64> : ~word, x); }

/// Returns `true` if `min` and `max` drop this message.
template <typename T>
WP_FN bool is_dropped(T x) {
    if constexpr ((WP_COMBINE == WP_MIN || WP_COMBINE == WP_MAX) && IsFloat<T>::value) return x != x;
    return false;
}

/// The word that changes nothing when it is combined.
template <typename W>
constexpr W IDENTITY = WP_COMBINE == WP_MIN || WP_COMBINE == WP_AND ? ~(W)0 : (W)0;

template <typename T>
WP_FN Word<T> to_word(T x) {
    if (is_dropped(x)) return IDENTITY<Word<T>>;
    if constexpr (WP_COMBINE == WP_MIN || WP_COMBINE == WP_MAX) return key(x);
    else return bits(x);
}

template <typename T>
WP_FN T from_word(Word<T> word) {
    T x;
    if constexpr (WP_COMBINE == WP_MIN || WP_COMBINE == WP_MAX) from_key(word, x);
    else from_bits(word, x);
    return x;
}

/// Returns `true` if combining `word` into `held` would change it.
template <typename W>
WP_FN bool improves(W word, W held) {
    if constexpr (WP_COMBINE == WP_MIN) return word < held;
    if constexpr (WP_COMBINE == WP_MAX) return word > held;
    if constexpr (WP_COMBINE == WP_OR) return (word & ~held) != 0;
    if constexpr (WP_COMBINE == WP_AND) return (held & ~word) != 0;
    return true;
}

/// `true` if devices combine directly into each other's memory (`pass_on`). What they combine into then takes atomics for all
/// devices, which on a device's own memory cost as much as those for one.
#if WP_SEVERAL && WP_SCHEDULE == WP_WALK
constexpr bool PASSES_ON = true;
#else
constexpr bool PASSES_ON = false;
#endif

/// Combines `word` into memory that several devices may access. Returns the previous word.
template <typename W>
WP_FN W combine_for_all(W* held, W word) {
    delay();
    if constexpr (WP_COMBINE == WP_MIN) return atomicMin_system(held, word);
    if constexpr (WP_COMBINE == WP_MAX) return atomicMax_system(held, word);
    if constexpr (WP_COMBINE == WP_OR) return atomicOr_system(held, word);
    if constexpr (WP_COMBINE == WP_AND) return atomicAnd_system(held, word);
    return atomicExch_system(held, word);
}

/// Combines `word` atomically into memory shared by all threads. Returns the previous word.
template <typename W>
WP_FN W combine_atomically(W* held, W word) {
    if constexpr (PASSES_ON) return combine_for_all(held, word);
    delay();
    if constexpr (WP_COMBINE == WP_MIN) return atomicMin(held, word);
    if constexpr (WP_COMBINE == WP_MAX) return atomicMax(held, word);
    if constexpr (WP_COMBINE == WP_OR) return atomicOr(held, word);
    if constexpr (WP_COMBINE == WP_AND) return atomicAnd(held, word);
    if constexpr (WP_COMBINE == WP_SUM) return atomicAdd(held, word);
    return atomicExch(held, word);
}

/// Combines two numbers by combiner KIND.
template <int KIND, typename T>
WP_FN T combine_numbers(T a, T b) {
    if constexpr (KIND == WP_MIN || KIND == WP_MAX) {
        if (a != a) return b;
        if (b != b) return a;
        return (KIND == WP_MIN ? key(b) < key(a) : key(b) > key(a)) ? b : a;
    } else if constexpr (KIND == WP_SUM) {
        if constexpr (IsFloat<T>::value) return a + b;
        else { T sum; from_bits((Word<T>)(bits(a) + bits(b)), sum); return sum; }
    } else if constexpr (KIND == WP_OR) {
        T either; from_bits((Word<T>)(bits(a) | bits(b)), either); return either;
    } else if constexpr (KIND == WP_AND) {
        T both; from_bits((Word<T>)(bits(a) & bits(b)), both); return both;
    } else {
        return a;
    }
}

/// Returns the number that changes nothing when it is combined by KIND.
template <int KIND, typename T>
WP_FN T identity_number() {
    T x;
    if constexpr (KIND == WP_MIN || KIND == WP_MAX) {
        // Uses the largest number, not the largest word, because a key of all ones represents a NaN.
        if constexpr (IsFloat<T>::value) {
            const Word<T> infinity = sizeof(T) == 4 ? (Word<T>)0x7f800000u : (Word<T>)0x7ff0000000000000ull;
            from_bits(KIND == WP_MIN ? infinity : (Word<T>)(infinity | SIGN<Word<T>>), x);
        } else {
            from_key(KIND == WP_MIN ? ~(Word<T>)0 : (Word<T>)0, x);
        }
    } else {
        from_bits(KIND == WP_AND ? ~(Word<T>)0 : (Word<T>)0, x);
    }
    return x;
}

/// Returns `true` if two values are equal: bit for bit, and all NaNs are equal. (Structs define their own `same`.)
template <typename T>
WP_FN bool same_numbers(T a, T b) {
    if (IsFloat<T>::value && a != a && b != b) return true;
    return bits(a) == bits(b);
}

}  // namespace wp

// Rust's semantics of numbers, for the text that #[edge_program] generates: arithmetic that wraps or faults, shifts by
// masked amounts, saturating casts, a total order of floats. The methods of numbers are in integer.cuh and float.cuh;
// those of options and bool are in this file.
//
// This code never relies on undefined behavior of C++: signed arithmetic is done on unsigned types, and after a fault
// the code continues with a defined but meaningless value. A site is the number of a position in the program that can
// fault. If an operation can fault in two ways, the second way has the next site number. WP_CHECKED is 1 if an overflow
// is a fault (in a debug build of the user's crate).
//
// Float operators appear directly in the program's text: `+ - * /` and comparisons mean the same in both languages,
// given --fmad=false and IEEE division. `exp`, `ln`, `powi` and similar functions use the device's implementations,
// whose results differ from the host's by a few ulps.
#pragma once

#ifndef WP_CHECKED
#define WP_CHECKED 0
#endif

#ifndef __CUDACC__
#include <math.h>
#include <string.h>
#endif

namespace rust {

using wp::Context;
using wp::Option;
using wp::fault;
using wp::f32;
using wp::f64;
using wp::i16;
using wp::i32;
using wp::i64;
using wp::i8;
using wp::u16;
using wp::u32;
using wp::u64;
using wp::u8;

/// Properties of an integer type: its unsigned and signed counterparts, its width, its smallest and largest value.
template <typename T> struct Integer;
#define WP_INTEGER(T, U, S, SIGNED, WIDTH)                                          \
    template <> struct Integer<T> {                                                 \
        typedef U Unsigned;                                                         \
        typedef S Signed;                                                           \
        static constexpr bool is_signed = SIGNED;                                   \
        static constexpr u32 bits = WIDTH;                                          \
        static constexpr T max = (T)(SIGNED ? (U)((U)~(U)0 >> 1) : (U)~(U)0);       \
        static constexpr T min = (T)(SIGNED ? (T)(-max - 1) : (T)0);                \
    };
WP_INTEGER(u8, u8, i8, false, 8)
WP_INTEGER(u16, u16, i16, false, 16)
WP_INTEGER(u32, u32, i32, false, 32)
WP_INTEGER(u64, u64, i64, false, 64)
WP_INTEGER(i8, u8, i8, true, 8)
WP_INTEGER(i16, u16, i16, true, 16)
WP_INTEGER(i32, u32, i32, true, 32)
WP_INTEGER(i64, u64, i64, true, 64)
#undef WP_INTEGER

template <typename T>
using Unsigned = typename Integer<T>::Unsigned;
template <typename T>
using Signed = typename Integer<T>::Signed;

template <typename T> struct Kind { static constexpr bool is_float = false; };
template <> struct Kind<f32> { static constexpr bool is_float = true; };
template <> struct Kind<f64> { static constexpr bool is_float = true; };

// ---- bits -------------------------------------------------------------------------------------------------------

#ifdef __CUDACC__
WP_FN u32 to_bits(f32 x) { return __float_as_uint(x); }
WP_FN u64 to_bits(f64 x) { return (u64)__double_as_longlong(x); }
WP_FN f32 f32_from_bits(u32 bits) { return __uint_as_float(bits); }
WP_FN f64 f64_from_bits(u64 bits) { return __longlong_as_double((i64)bits); }
WP_FN u64 high_product(u64 a, u64 b) { return __umul64hi(a, b); }
#else
WP_FN u32 to_bits(f32 x) { u32 bits; memcpy(&bits, &x, 4); return bits; }
WP_FN u64 to_bits(f64 x) { u64 bits; memcpy(&bits, &x, 8); return bits; }
WP_FN f32 f32_from_bits(u32 bits) { f32 x; memcpy(&x, &bits, 4); return x; }
WP_FN f64 f64_from_bits(u64 bits) { f64 x; memcpy(&x, &bits, 8); return x; }
WP_FN u64 high_product(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }
#endif

// ---- the three operations that overflow, with an overflow flag ----------------------------------------------------

template <typename T>
struct Overflowing {
    T value;
    bool overflowed;
};

template <typename T>
WP_FN Overflowing<T> added(T a, T b) {
    T sum = (T)(Unsigned<T>)((Unsigned<T>)a + (Unsigned<T>)b);
    if constexpr (Integer<T>::is_signed) return {sum, (b < 0) ? (sum > a) : (sum < a)};
    else return {sum, sum < a};
}

template <typename T>
WP_FN Overflowing<T> subtracted(T a, T b) {
    T difference = (T)(Unsigned<T>)((Unsigned<T>)a - (Unsigned<T>)b);
    if constexpr (Integer<T>::is_signed) return {difference, (b < 0) ? (difference < a) : (difference > a)};
    else return {difference, a < b};
}

/// Returns `true` if a number is negative (never for an unsigned number).
template <typename T>
WP_FN bool below_zero(T a) {
    if constexpr (Integer<T>::is_signed) return a < 0;
    else return false;
}

/// Returns the absolute value as an unsigned number. The result is correct even for the smallest signed number.
template <typename T>
WP_FN Unsigned<T> unsigned_abs(T a) {
    return a < 0 ? (Unsigned<T>)(0 - (Unsigned<T>)a) : (Unsigned<T>)a;
}

template <typename T>
WP_FN Overflowing<T> multiplied(T a, T b) {
    typedef Unsigned<T> U;
    if constexpr (Integer<T>::bits < 32) {
        i64 product = (i64)a * (i64)b;
        return {(T)product, product < (i64)Integer<T>::min || product > (i64)Integer<T>::max};
    } else if constexpr (!Integer<T>::is_signed) {
        if constexpr (Integer<T>::bits == 32) return {(T)(a * b), ((u64)a * b >> 32) != 0};
        else return {(T)(a * b), high_product(a, b) != 0};
    } else {
        const Overflowing<U> magnitude = multiplied(unsigned_abs(a), unsigned_abs(b));
        const U limit = (U)Integer<T>::max + (U)((a < 0) != (b < 0));
        return {(T)((U)a * (U)b), magnitude.overflowed || magnitude.value > limit};
    }
}

/// Returns the result. If it overflowed and overflow is a fault, records the fault.
template <typename T>
WP_FN T fits(Overflowing<T> result, Context& cx, u32 site) {
    if (WP_CHECKED && result.overflowed) fault(cx, site);
    return result.value;
}

template <typename T>
WP_FN Option<T> if_fits(Overflowing<T> result) {
    return result.overflowed ? wp::None<T>() : wp::Some<T>(result.value);
}

// ---- operators on integers ----------------------------------------------------------------------------------------

template <typename T> WP_FN T add(T a, T b, Context& cx, u32 site) { return fits(added(a, b), cx, site); }
template <typename T> WP_FN T sub(T a, T b, Context& cx, u32 site) { return fits(subtracted(a, b), cx, site); }
template <typename T> WP_FN T mul(T a, T b, Context& cx, u32 site) { return fits(multiplied(a, b), cx, site); }
template <typename T> WP_FN T neg(T a, Context& cx, u32 site) { return fits(subtracted((T)0, a), cx, site); }

/// Returns `true` if a / b overflows: the smallest number divided by -1.
template <typename T>
WP_FN bool overflows_when_divided(T a, T b) {
    if constexpr (Integer<T>::is_signed) return a == Integer<T>::min && b == (T)-1;
    else return false;
}

/// Returns `true` if a / b can be computed; otherwise records the fault.
template <typename T>
WP_FN bool divides(T a, T b, Context& cx, u32 site) {
    if (b == 0) fault(cx, site);
    else if (overflows_when_divided(a, b)) fault(cx, site + 1);
    else return true;
    return false;
}

template <typename T> WP_FN T div(T a, T b, Context& cx, u32 site) { return divides(a, b, cx, site) ? (T)(a / b) : (T)0; }
template <typename T> WP_FN T rem(T a, T b, Context& cx, u32 site) { return divides(a, b, cx, site) ? (T)(a % b) : (T)0; }

template <typename T, typename A>
WP_FN u32 shift_amount(A amount, Context& cx, u32 site) {
    // A negative amount becomes a huge number by sign extension.
    if (WP_CHECKED && (u64)amount >= Integer<T>::bits) fault(cx, site);
    return (u32)amount & (Integer<T>::bits - 1);
}

template <typename T> WP_FN T wrapping_shl(T a, u32 amount) {
    return (T)(Unsigned<T>)((Unsigned<T>)a << (amount & (Integer<T>::bits - 1)));
}
template <typename T> WP_FN T wrapping_shr(T a, u32 amount) { return (T)(a >> (amount & (Integer<T>::bits - 1))); }

template <typename T, typename A>
WP_FN T shl(T a, A amount, Context& cx, u32 site) { return wrapping_shl(a, shift_amount<T>(amount, cx, site)); }
template <typename T, typename A>
WP_FN T shr(T a, A amount, Context& cx, u32 site) { return wrapping_shr(a, shift_amount<T>(amount, cx, site)); }

// ---- order --------------------------------------------------------------------------------------------------------

template <typename T> WP_FN bool is_sign_negative(T a) { return to_bits(a) >> (sizeof(T) * 8 - 1) != 0; }

/// Returns `true` if a is below b, where -0 is below +0. The arguments must not be NaN.
template <typename T>
WP_FN bool is_below(T a, T b) {
    if constexpr (Kind<T>::is_float) return a < b || (a == b && is_sign_negative(a) && !is_sign_negative(b));
    else return a < b;
}

/// Return the smaller and the larger number. If one is NaN, they return the other.
template <typename T> WP_FN T min(T a, T b) { return a != a || (b == b && is_below(b, a)) ? b : a; }
template <typename T> WP_FN T max(T a, T b) { return a != a || (b == b && is_below(a, b)) ? b : a; }

template <typename T> WP_FN T clamp(T a, T low, T high, Context& cx, u32 site) {
    if (!(low <= high)) fault(cx, site);
    return a < low ? low : a > high ? high : a;
}

/// Returns `true` if two numbers are equal bit for bit; all NaNs are equal.
template <typename T> WP_FN bool same(T a, T b) {
    if constexpr (Kind<T>::is_float) return to_bits(a) == to_bits(b) || (a != a && b != b);
    else return a == b;
}

// ---- casts --------------------------------------------------------------------------------------------------------

/// Returns a power of two, exactly.
template <typename T>
WP_FN T power_of_two(u32 exponent) {
    if constexpr (sizeof(T) == 4) return f32_from_bits((127u + exponent) << 23);
    else return f64_from_bits((u64)(1023u + exponent) << 52);
}

/// Casts a float to an integer by truncation. A value that does not fit becomes the nearest value of the type, and NaN
/// becomes zero.
template <typename To, typename From>
WP_FN To saturate(From a) {
    if (a != a) return 0;
    const u32 digits = Integer<To>::bits - (Integer<To>::is_signed ? 1 : 0);
    if (a >= power_of_two<From>(digits)) return Integer<To>::max;
    if (Integer<To>::is_signed ? a < -power_of_two<From>(digits) : a <= (From)0) return Integer<To>::min;
    return (To)a;
}

/// Implements `a as To`. Integers wrap around; floats round to nearest even.
template <typename To, typename From>
WP_FN To cast(From a) {
    if constexpr (Kind<From>::is_float && !Kind<To>::is_float) return saturate<To>(a);
    else return (To)a;
}

// ---- options and bool ----------------------------------------------------------------------------------------------
// `and`, `or` and `xor` are operators in C++, so the corresponding functions have the suffix `option`.

template <typename T> WP_FN T unwrap_or(Option<T> option, T otherwise) { return option.some ? option.value : otherwise; }
template <typename T> WP_FN T unwrap_or_default(Option<T> option) { return option.some ? option.value : T{}; }
template <typename T> WP_FN T unwrap(Option<T> option, Context& cx, u32 site) {
    if (!option.some) fault(cx, site);
    return option.value;
}
template <typename T, typename U> WP_FN Option<U> and_option(Option<T> option, Option<U> other) {
    return option.some ? other : wp::None<U>();
}
template <typename T> WP_FN Option<T> or_option(Option<T> option, Option<T> other) { return option.some ? option : other; }
template <typename T> WP_FN Option<T> xor_option(Option<T> option, Option<T> other) {
    return option.some == other.some ? wp::None<T>() : option.some ? option : other;
}
template <typename T> WP_FN Option<T> flatten(Option<Option<T>> option) { return option.some ? option.value : wp::None<T>(); }
template <typename T, typename U>
WP_FN Option<wp::Tuple2<T, U>> zip(Option<T> option, Option<U> other) {
    typedef wp::Tuple2<T, U> Pair;
    return option.some && other.some ? wp::Some<Pair>(Pair{option.value, other.value}) : wp::None<Pair>();
}
template <typename T, typename U>
WP_FN wp::Tuple2<Option<T>, Option<U>> unzip(Option<wp::Tuple2<T, U>> option) {
    if (!option.some) return {wp::None<T>(), wp::None<U>()};
    return {wp::Some<T>(option.value._0), wp::Some<U>(option.value._1)};
}
template <typename T> WP_FN Option<T> then_some(bool condition, T value) {
    return condition ? wp::Some<T>(value) : wp::None<T>();
}

}  // namespace rust

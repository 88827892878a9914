// Rust's meaning of numbers, for the text that #[edge_program] writes: arithmetic that wraps or faults, shifts by
// masked amounts, casts that saturate, one order for floats, the methods of numbers and options.
//
// Unusual: nothing here relies on what C++ leaves undefined. Signed arithmetic goes through unsigned, and every
// fault goes on with a defined value of no meaning. Where an operation can fault in two ways, the second has the site
// after the first. WP_CHECKED says whether an overflow is a fault (a debug build of the user's crate).
//
// Float operators stand in the program's own text: `+ - * /` and comparisons mean the same in both languages, given
// --fmad=false and IEEE division. `exp`, `ln`, `powi` and their like are the device's own, a few ulps from the host's.
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

/// What is known of an integer type: its unsigned twin, its width and its ends.
template <typename T> struct Integer;
#define WP_INTEGER(T, U, SIGNED, WIDTH)                                             \
    template <> struct Integer<T> {                                                 \
        typedef U Unsigned;                                                         \
        static constexpr bool is_signed = SIGNED;                                   \
        static constexpr u32 bits = WIDTH;                                          \
        static constexpr T max = (T)(SIGNED ? (U)((U)~(U)0 >> 1) : (U)~(U)0);       \
        static constexpr T min = (T)(SIGNED ? (T)(-max - 1) : (T)0);                \
    };
WP_INTEGER(u8, u8, false, 8)
WP_INTEGER(u16, u16, false, 16)
WP_INTEGER(u32, u32, false, 32)
WP_INTEGER(u64, u64, false, 64)
WP_INTEGER(i8, u8, true, 8)
WP_INTEGER(i16, u16, true, 16)
WP_INTEGER(i32, u32, true, 32)
WP_INTEGER(i64, u64, true, 64)
#undef WP_INTEGER

template <typename T>
using Unsigned = typename Integer<T>::Unsigned;

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

// ---- the three operations that overflow, with whether they did ----------------------------------------------------

template <typename T>
struct Overflowing {
    T value;
    bool overflowed;
};

template <typename T>
WP_FN Overflowing<T> overflowing_add(T a, T b) {
    T sum = (T)(Unsigned<T>)((Unsigned<T>)a + (Unsigned<T>)b);
    if constexpr (Integer<T>::is_signed) return {sum, (b < 0) ? (sum > a) : (sum < a)};
    else return {sum, sum < a};
}

template <typename T>
WP_FN Overflowing<T> overflowing_sub(T a, T b) {
    T difference = (T)(Unsigned<T>)((Unsigned<T>)a - (Unsigned<T>)b);
    if constexpr (Integer<T>::is_signed) return {difference, (b < 0) ? (difference < a) : (difference > a)};
    else return {difference, a < b};
}

/// Whether a number is below zero, which an unsigned one never is.
template <typename T>
WP_FN bool below_zero(T a) {
    if constexpr (Integer<T>::is_signed) return a < 0;
    else return false;
}

/// The magnitude as an unsigned number, of the smallest number too.
template <typename T>
WP_FN Unsigned<T> unsigned_abs(T a) {
    return a < 0 ? (Unsigned<T>)(0 - (Unsigned<T>)a) : (Unsigned<T>)a;
}

template <typename T>
WP_FN Overflowing<T> overflowing_mul(T a, T b) {
    typedef Unsigned<T> U;
    if constexpr (Integer<T>::bits < 32) {
        i64 product = (i64)a * (i64)b;
        return {(T)product, product < (i64)Integer<T>::min || product > (i64)Integer<T>::max};
    } else if constexpr (!Integer<T>::is_signed) {
        if constexpr (Integer<T>::bits == 32) return {(T)(a * b), ((u64)a * b >> 32) != 0};
        else return {(T)(a * b), high_product(a, b) != 0};
    } else {
        const Overflowing<U> magnitude = overflowing_mul(unsigned_abs(a), unsigned_abs(b));
        const U limit = (U)Integer<T>::max + (U)((a < 0) != (b < 0));
        return {(T)((U)a * (U)b), magnitude.overflowed || magnitude.value > limit};
    }
}

/// The result; the fault, when it overflowed and that is one.
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

template <typename T> WP_FN T add(T a, T b, Context& cx, u32 site) { return fits(overflowing_add(a, b), cx, site); }
template <typename T> WP_FN T sub(T a, T b, Context& cx, u32 site) { return fits(overflowing_sub(a, b), cx, site); }
template <typename T> WP_FN T mul(T a, T b, Context& cx, u32 site) { return fits(overflowing_mul(a, b), cx, site); }
template <typename T> WP_FN T neg(T a, Context& cx, u32 site) { return fits(overflowing_sub((T)0, a), cx, site); }

/// Whether a / b has no answer because it does not fit: the smallest number divided by -1.
template <typename T>
WP_FN bool overflows_when_divided(T a, T b) {
    if constexpr (Integer<T>::is_signed) return a == Integer<T>::min && b == (T)-1;
    else return false;
}

/// Whether a / b can be computed; records the fault when it cannot.
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
    // A negative amount is a huge one when its sign is extended.
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

// ---- methods of integers ------------------------------------------------------------------------------------------

template <typename T> WP_FN T wrapping_add(T a, T b) { return overflowing_add(a, b).value; }
template <typename T> WP_FN T wrapping_sub(T a, T b) { return overflowing_sub(a, b).value; }
template <typename T> WP_FN T wrapping_mul(T a, T b) { return overflowing_mul(a, b).value; }
template <typename T> WP_FN T wrapping_neg(T a) { return overflowing_sub((T)0, a).value; }
template <typename T> WP_FN T wrapping_abs(T a) { return (T)unsigned_abs(a); }

template <typename T> WP_FN Option<T> checked_add(T a, T b) { return if_fits(overflowing_add(a, b)); }
template <typename T> WP_FN Option<T> checked_sub(T a, T b) { return if_fits(overflowing_sub(a, b)); }
template <typename T> WP_FN Option<T> checked_mul(T a, T b) { return if_fits(overflowing_mul(a, b)); }
template <typename T> WP_FN Option<T> checked_div(T a, T b) {
    return b == 0 || overflows_when_divided(a, b) ? wp::None<T>() : wp::Some<T>((T)(a / b));
}
template <typename T> WP_FN Option<T> checked_rem(T a, T b) {
    return b == 0 || overflows_when_divided(a, b) ? wp::None<T>() : wp::Some<T>((T)(a % b));
}

/// The end of the type on this side.
template <typename T>
WP_FN T end(bool below) { return below ? Integer<T>::min : Integer<T>::max; }

template <typename T> WP_FN T saturating_add(T a, T b) {
    const Overflowing<T> sum = overflowing_add(a, b);
    return sum.overflowed ? end<T>(below_zero(b)) : sum.value;
}
template <typename T> WP_FN T saturating_sub(T a, T b) {
    const Overflowing<T> difference = overflowing_sub(a, b);
    return difference.overflowed ? end<T>(!Integer<T>::is_signed || b > 0) : difference.value;
}
template <typename T> WP_FN T saturating_mul(T a, T b) {
    const Overflowing<T> product = overflowing_mul(a, b);
    return product.overflowed ? end<T>(below_zero(a) != below_zero(b)) : product.value;
}

template <typename T> WP_FN T signum(T a) {
    if constexpr (Kind<T>::is_float) return a != a ? a : to_bits(a) >> (sizeof(T) * 8 - 1) ? (T)-1 : (T)1;
    else return (T)((a > 0) - (a < 0));
}
template <typename T> WP_FN bool is_positive(T a) { return a > 0; }
template <typename T> WP_FN bool is_negative(T a) { return a < 0; }
template <typename T> WP_FN bool is_power_of_two(T a) { return a != 0 && (a & (T)(a - 1)) == 0; }
template <typename T> WP_FN Unsigned<T> abs_diff(T a, T b) {
    typedef Unsigned<T> U;
    return a < b ? (U)((U)b - (U)a) : (U)((U)a - (U)b);
}
template <typename T> WP_FN T abs(T a, Context& cx, u32 site) { return a < 0 ? neg(a, cx, site) : a; }

template <typename T> WP_FN T pow(T base, u32 exponent, Context& cx, u32 site) {
    T result = 1;
    bool overflowed = false;
    while (exponent != 0) {
        if (exponent & 1) {
            const Overflowing<T> product = overflowing_mul(result, base);
            result = product.value;
            overflowed = overflowed || product.overflowed;
        }
        exponent >>= 1;
        if (exponent != 0) {
            const Overflowing<T> square = overflowing_mul(base, base);
            base = square.value;
            overflowed = overflowed || square.overflowed;
        }
    }
    return fits(Overflowing<T>{result, overflowed}, cx, site);
}

template <typename T> WP_FN T rem_euclid(T a, T b, Context& cx, u32 site) {
    if (!divides(a, b, cx, site)) return 0;
    T remainder = (T)(a % b);
    return below_zero(remainder) ? (T)(below_zero(b) ? remainder - b : remainder + b) : remainder;
}
template <typename T> WP_FN T div_euclid(T a, T b, Context& cx, u32 site) {
    if (!divides(a, b, cx, site)) return 0;
    T quotient = (T)(a / b);
    return below_zero((T)(a % b)) ? (T)(b > 0 ? quotient - 1 : quotient + 1) : quotient;
}
template <typename T> WP_FN T div_ceil(T a, T b, Context& cx, u32 site) {
    return divides(a, b, cx, site) ? (T)(a / b + (a % b != 0)) : (T)0;
}

template <typename T> WP_FN u32 count_ones(T a) {
    u64 rest = (u64)(Unsigned<T>)a;
    rest = rest - ((rest >> 1) & 0x5555555555555555ull);
    rest = (rest & 0x3333333333333333ull) + ((rest >> 2) & 0x3333333333333333ull);
    return (u32)((((rest + (rest >> 4)) & 0x0f0f0f0f0f0f0f0full) * 0x0101010101010101ull) >> 56);
}
template <typename T> WP_FN u32 count_zeros(T a) { return Integer<T>::bits - count_ones(a); }
template <typename T> WP_FN u32 leading_zeros(T a) {
    u64 filled = (u64)(Unsigned<T>)a;
    for (u32 shift = 1; shift < 64; shift *= 2) filled |= filled >> shift;
    return Integer<T>::bits - count_ones(filled);
}
template <typename T> WP_FN u32 trailing_zeros(T a) {
    const u64 bits = (u64)(Unsigned<T>)a;
    return bits == 0 ? Integer<T>::bits : count_ones((bits & (0 - bits)) - 1);
}
template <typename T> WP_FN T rotate_left(T a, u32 amount) {
    typedef Unsigned<T> U;
    const u32 left = amount & (Integer<T>::bits - 1);
    return left == 0 ? a : (T)(U)((U)((U)a << left) | (U)((U)a >> (Integer<T>::bits - left)));
}
template <typename T> WP_FN T rotate_right(T a, u32 amount) {
    return rotate_left(a, Integer<T>::bits - (amount & (Integer<T>::bits - 1)));
}

// ---- methods of floats --------------------------------------------------------------------------------------------

#define WP_BOTH_FLOATS(name, single, both)              \
    WP_FN f32 name(f32 a) { return ::single(a); }       \
    WP_FN f64 name(f64 a) { return ::both(a); }
WP_BOTH_FLOATS(sqrt, sqrtf, sqrt)
WP_BOTH_FLOATS(floor, floorf, floor)
WP_BOTH_FLOATS(ceil, ceilf, ceil)
WP_BOTH_FLOATS(round, roundf, round)
WP_BOTH_FLOATS(trunc, truncf, trunc)
WP_BOTH_FLOATS(exp, expf, exp)
WP_BOTH_FLOATS(exp2, exp2f, exp2)
WP_BOTH_FLOATS(ln, logf, log)
WP_BOTH_FLOATS(log2, log2f, log2)
WP_BOTH_FLOATS(log10, log10f, log10)
WP_BOTH_FLOATS(sin, sinf, sin)
WP_BOTH_FLOATS(cos, cosf, cos)
WP_BOTH_FLOATS(tanh, tanhf, tanh)
#undef WP_BOTH_FLOATS

WP_FN f32 rem(f32 a, f32 b) { return ::fmodf(a, b); }
WP_FN f64 rem(f64 a, f64 b) { return ::fmod(a, b); }
WP_FN f32 powf(f32 a, f32 b) { return ::powf(a, b); }
WP_FN f64 powf(f64 a, f64 b) { return ::pow(a, b); }
WP_FN f32 hypot(f32 a, f32 b) { return ::hypotf(a, b); }
WP_FN f64 hypot(f64 a, f64 b) { return ::hypot(a, b); }
WP_FN f32 mul_add(f32 a, f32 b, f32 c) { return ::fmaf(a, b, c); }
WP_FN f64 mul_add(f64 a, f64 b, f64 c) { return ::fma(a, b, c); }

/// Clears or copies the sign and touches nothing else, NaN included.
WP_FN f32 abs(f32 a) { return f32_from_bits(to_bits(a) & 0x7fffffffu); }
WP_FN f64 abs(f64 a) { return f64_from_bits(to_bits(a) & 0x7fffffffffffffffull); }
WP_FN f32 copysign(f32 a, f32 sign) {
    return f32_from_bits((to_bits(a) & 0x7fffffffu) | (to_bits(sign) & 0x80000000u));
}
WP_FN f64 copysign(f64 a, f64 sign) {
    return f64_from_bits((to_bits(a) & 0x7fffffffffffffffull) | (to_bits(sign) & 0x8000000000000000ull));
}

template <typename T> WP_FN bool is_nan(T a) { return a != a; }
template <typename T> WP_FN bool is_finite(T a) { return a - a == 0; }
template <typename T> WP_FN bool is_infinite(T a) { return a == a && !is_finite(a); }
template <typename T> WP_FN bool is_sign_negative(T a) { return to_bits(a) >> (sizeof(T) * 8 - 1) != 0; }
template <typename T> WP_FN bool is_sign_positive(T a) { return !is_sign_negative(a); }
template <typename T> WP_FN T recip(T a) { return (T)1 / a; }
template <typename T> WP_FN T fract(T a) { return a - trunc(a); }

/// Repeated squaring; the number of roundings is the host's, their order may not be.
template <typename T> WP_FN T powi(T base, i32 exponent) {
    T result = 1;
    for (u32 rest = unsigned_abs(exponent); rest != 0; rest >>= 1) {
        if (rest & 1) result *= base;
        base *= base;
    }
    return exponent < 0 ? (T)1 / result : result;
}

// ---- order --------------------------------------------------------------------------------------------------------

/// Whether a is below b, where -0 is below +0. Of numbers only.
template <typename T>
WP_FN bool is_below(T a, T b) {
    if constexpr (Kind<T>::is_float) return a < b || (a == b && is_sign_negative(a) && !is_sign_negative(b));
    else return a < b;
}

/// The smaller and the larger. A NaN loses against a number.
template <typename T> WP_FN T min(T a, T b) { return a != a || (b == b && is_below(b, a)) ? b : a; }
template <typename T> WP_FN T max(T a, T b) { return a != a || (b == b && is_below(a, b)) ? b : a; }

template <typename T> WP_FN T clamp(T a, T low, T high, Context& cx, u32 site) {
    if (!(low <= high)) fault(cx, site);
    return a < low ? low : a > high ? high : a;
}

/// Bit for bit the same, except that every NaN is the same as every other.
template <typename T> WP_FN bool same(T a, T b) {
    if constexpr (Kind<T>::is_float) return to_bits(a) == to_bits(b) || (a != a && b != b);
    else return a == b;
}

// ---- casts --------------------------------------------------------------------------------------------------------

/// A power of two, exactly.
template <typename T>
WP_FN T power_of_two(u32 exponent) {
    if constexpr (sizeof(T) == 4) return f32_from_bits((127u + exponent) << 23);
    else return f64_from_bits((u64)(1023u + exponent) << 52);
}

/// Truncates; what does not fit becomes the nearest end of the type, and NaN zero.
template <typename To, typename From>
WP_FN To saturate(From a) {
    if (a != a) return 0;
    const u32 digits = Integer<To>::bits - (Integer<To>::is_signed ? 1 : 0);
    if (a >= power_of_two<From>(digits)) return Integer<To>::max;
    if (Integer<To>::is_signed ? a < -power_of_two<From>(digits) : a <= (From)0) return Integer<To>::min;
    return (To)a;
}

/// `a as To`. Integers wrap, floats round to nearest even.
template <typename To, typename From>
WP_FN To cast(From a) {
    if constexpr (Kind<From>::is_float && !Kind<To>::is_float) return saturate<To>(a);
    else return (To)a;
}

// ---- options ------------------------------------------------------------------------------------------------------

template <typename T> WP_FN T unwrap_or(Option<T> option, T otherwise) { return option.some ? option.value : otherwise; }
template <typename T> WP_FN T unwrap(Option<T> option, Context& cx, u32 site) {
    if (!option.some) fault(cx, site);
    return option.value;
}

}  // namespace rust

// The methods of floats. The methods up to the section "transcendental" return the same bits everywhere. The others use
// the device's own functions, whose results differ from the host's by a few ulps (docs/methods.md lists how many). If
// the standard library computes a function by a formula of its own, the device follows that formula, so that
// cancellation is the same on both sides.
#pragma once

namespace rust {

// ---- rounding and remainders --------------------------------------------------------------------------------------

#define WP_BOTH_FLOATS(name, single, both)              \
    WP_FN f32 name(f32 a) { return ::single(a); }       \
    WP_FN f64 name(f64 a) { return ::both(a); }
WP_BOTH_FLOATS(sqrt, sqrtf, sqrt)
WP_BOTH_FLOATS(floor, floorf, floor)
WP_BOTH_FLOATS(ceil, ceilf, ceil)
WP_BOTH_FLOATS(round, roundf, round)
WP_BOTH_FLOATS(round_ties_even, rintf, rint)
WP_BOTH_FLOATS(trunc, truncf, trunc)

WP_FN f32 rem(f32 a, f32 b) { return ::fmodf(a, b); }
WP_FN f64 rem(f64 a, f64 b) { return ::fmod(a, b); }
WP_FN f32 mul_add(f32 a, f32 b, f32 c) { return ::fmaf(a, b, c); }
WP_FN f64 mul_add(f64 a, f64 b, f64 c) { return ::fma(a, b, c); }
template <typename T> WP_FN T recip(T a) { return (T)1 / a; }
template <typename T> WP_FN T fract(T a) { return a - trunc(a); }

// ---- signs and classes --------------------------------------------------------------------------------------------

/// Clears or copies the sign. All other bits are unchanged, even those of a NaN.
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
template <typename T> WP_FN bool is_sign_positive(T a) { return !is_sign_negative(a); }

/// Returns the smallest positive number that is not subnormal.
WP_FN f32 smallest_normal(f32) { return f32_from_bits(0x00800000u); }
WP_FN f64 smallest_normal(f64) { return f64_from_bits(0x0010000000000000ull); }
template <typename T> WP_FN bool is_normal(T a) { return is_finite(a) && abs(a) >= smallest_normal(a); }
template <typename T> WP_FN bool is_subnormal(T a) { return a != 0 && abs(a) < smallest_normal(a); }

WP_FN f32 from_bits_like(f32, u32 bits) { return f32_from_bits(bits); }
WP_FN f64 from_bits_like(f64, u64 bits) { return f64_from_bits(bits); }

/// Returns the adjacent number further from zero, with the same sign. `closer` returns the adjacent number nearer to
/// zero.
template <typename T> WP_FN T further(T a) { return from_bits_like(a, to_bits(a) + 1); }
template <typename T> WP_FN T closer(T a) { return from_bits_like(a, to_bits(a) - 1); }
template <typename T> WP_FN T next_up(T a) {
    if (a != a || (a > 0 && is_infinite(a))) return a;
    if (a == 0) return from_bits_like(a, 1);
    return a > 0 ? further(a) : closer(a);
}
template <typename T> WP_FN T next_down(T a) { return a != a ? a : -next_up(-a); }

// ---- arithmetic ---------------------------------------------------------------------------------------------------

template <typename T> WP_FN T div_euclid(T a, T b) {
    const T quotient = trunc(a / b);
    if (rem(a, b) < 0) return b > 0 ? quotient - 1 : quotient + 1;
    return quotient;
}
template <typename T> WP_FN T rem_euclid(T a, T b) {
    const T remainder = rem(a, b);
    return remainder < 0 ? remainder + abs(b) : remainder;
}

WP_FN f32 midpoint(f32 a, f32 b) { return (f32)(((f64)a + (f64)b) / 2); }
WP_FN f64 midpoint(f64 a, f64 b) {
    const f64 half = f64_from_bits(0x7fdfffffffffffffull);  // half of the largest number
    return abs(a) <= half && abs(b) <= half ? (a + b) / 2 : a / 2 + b / 2;
}

/// Multiplies by the standard library's constants, given as bits and rounded as the library rounds them.
WP_FN f32 to_degrees(f32 a) { return a * f32_from_bits(0x42652ee1u); }
WP_FN f64 to_degrees(f64 a) { return a * f64_from_bits(0x404ca5dc1a63c1f8ull); }
WP_FN f32 to_radians(f32 a) { return a * f32_from_bits(0x3c8efa35u); }
WP_FN f64 to_radians(f64 a) { return a * f64_from_bits(0x3f91df46a2529d39ull); }

// ---- transcendental -----------------------------------------------------------------------------------------------

WP_BOTH_FLOATS(cbrt, cbrtf, cbrt)
WP_BOTH_FLOATS(exp, expf, exp)
WP_BOTH_FLOATS(exp2, exp2f, exp2)
WP_BOTH_FLOATS(exp_m1, expm1f, expm1)
WP_BOTH_FLOATS(ln, logf, log)
WP_BOTH_FLOATS(ln_1p, log1pf, log1p)
WP_BOTH_FLOATS(log2, log2f, log2)
WP_BOTH_FLOATS(log10, log10f, log10)
WP_BOTH_FLOATS(sin, sinf, sin)
WP_BOTH_FLOATS(cos, cosf, cos)
WP_BOTH_FLOATS(tan, tanf, tan)
WP_BOTH_FLOATS(asin, asinf, asin)
WP_BOTH_FLOATS(acos, acosf, acos)
WP_BOTH_FLOATS(atan, atanf, atan)
WP_BOTH_FLOATS(sinh, sinhf, sinh)
WP_BOTH_FLOATS(cosh, coshf, cosh)
WP_BOTH_FLOATS(tanh, tanhf, tanh)
#undef WP_BOTH_FLOATS

#define WP_BOTH_FLOATS(name, single, both)                          \
    WP_FN f32 name(f32 a, f32 b) { return ::single(a, b); }         \
    WP_FN f64 name(f64 a, f64 b) { return ::both(a, b); }
WP_BOTH_FLOATS(powf, powf, pow)
WP_BOTH_FLOATS(hypot, hypotf, hypot)
WP_BOTH_FLOATS(atan2, atan2f, atan2)
#undef WP_BOTH_FLOATS

template <typename T> WP_FN T log(T a, T base) { return ln(a) / ln(base); }
template <typename T> WP_FN wp::Tuple2<T, T> sin_cos(T a) { return {sin(a), cos(a)}; }
template <typename T> WP_FN T asinh(T a) {
    const T size = abs(a), inverse = (T)1 / size;
    return copysign(ln_1p(size + size / (hypot((T)1, inverse) + inverse)), a);
}
template <typename T> WP_FN T acosh(T a) { return ln(a + sqrt(a - 1) * sqrt(a + 1)); }
template <typename T> WP_FN T atanh(T a) { return (T)0.5 * ln_1p((2 * a) / (1 - a)); }

/// Computes a power by repeated squaring. It rounds as often as the host does, perhaps in another order.
template <typename T> WP_FN T powi(T base, i32 exponent) {
    T result = 1;
    for (u32 rest = unsigned_abs(exponent); rest != 0; rest >>= 1) {
        if (rest & 1) result *= base;
        base *= base;
    }
    return exponent < 0 ? (T)1 / result : result;
}

}  // namespace rust

// The methods of integers. For a method that exists in several forms (`wrapping_`, `checked_`, `overflowing_`,
// `saturating_`), one function returns the wrapped result with an overflow flag, and the forms are built from it.
// Devices use a special instruction if there is one; host C++ computes the same result in plain code.
#pragma once

namespace rust {

/// Returns the pair that `overflowing_` methods return.
template <typename T>
WP_FN wp::Tuple2<T, bool> pair(Overflowing<T> result) { return {result.value, result.overflowed}; }

/// Returns the smallest value of the type if `below`, otherwise the largest.
template <typename T>
WP_FN T end(bool below) { return below ? Integer<T>::min : Integer<T>::max; }

// ---- wrapped results, with an overflow flag -----------------------------------------------------------------------

template <typename T> WP_FN Overflowing<T> negated(T a) { return subtracted((T)0, a); }
template <typename T> WP_FN Overflowing<T> magnitude(T a) { return {(T)unsigned_abs(a), a == Integer<T>::min}; }

/// Adds a number of the opposite signedness as raw bits. If its highest bit is set, the addition misreads the number,
/// so the overflow flag must be inverted.
template <typename T> WP_FN Overflowing<T> added_signed(T a, Signed<T> b) {
    const Overflowing<T> sum = added(a, (T)b);
    return {sum.value, sum.overflowed != (b < 0)};
}
template <typename T> WP_FN Overflowing<T> added_unsigned(T a, Unsigned<T> b) {
    const Overflowing<T> sum = added(a, (T)b);
    return {sum.value, sum.overflowed != ((T)b < 0)};
}
template <typename T> WP_FN Overflowing<T> subtracted_unsigned(T a, Unsigned<T> b) {
    const Overflowing<T> difference = subtracted(a, (T)b);
    return {difference.value, difference.overflowed != ((T)b < 0)};
}

template <typename T> WP_FN Overflowing<T> shifted_left(T a, u32 amount) {
    return {wrapping_shl(a, amount), amount >= Integer<T>::bits};
}
template <typename T> WP_FN Overflowing<T> shifted_right(T a, u32 amount) {
    return {wrapping_shr(a, amount), amount >= Integer<T>::bits};
}

template <typename T> WP_FN Overflowing<T> raised(T base, u32 exponent) {
    T result = 1;
    bool overflowed = false;
    while (exponent != 0) {
        if (exponent & 1) {
            const Overflowing<T> product = multiplied(result, base);
            result = product.value;
            overflowed = overflowed || product.overflowed;
        }
        exponent >>= 1;
        if (exponent != 0) {
            const Overflowing<T> square = multiplied(base, base);
            base = square.value;
            overflowed = overflowed || square.overflowed;
        }
    }
    return {result, overflowed};
}

/// Divides. Here and in the following divisions, the divisor must not be zero.
template <typename T> WP_FN Overflowing<T> divided(T a, T b) {
    if (overflows_when_divided(a, b)) return {a, true};
    return {(T)(a / b), false};
}
template <typename T> WP_FN Overflowing<T> remainder(T a, T b) {
    if (overflows_when_divided(a, b)) return {0, true};
    return {(T)(a % b), false};
}
template <typename T> WP_FN Overflowing<T> divided_euclid(T a, T b) {
    const Overflowing<T> quotient = divided(a, b);
    if (quotient.overflowed || !below_zero((T)(a % b))) return quotient;
    return {(T)(b > 0 ? quotient.value - 1 : quotient.value + 1), false};
}
template <typename T> WP_FN Overflowing<T> remainder_euclid(T a, T b) {
    const Overflowing<T> rest = remainder(a, b);
    if (!below_zero(rest.value)) return rest;
    return {(T)(below_zero(b) ? rest.value - b : rest.value + b), false};
}

// ---- families -----------------------------------------------------------------------------------------------------

#define WP_FAMILY(name, result)                                                                                     \
    template <typename T> WP_FN T wrapping_##name(T a) { return result(a).value; }                                  \
    template <typename T> WP_FN Option<T> checked_##name(T a) { return if_fits(result(a)); }                        \
    template <typename T> WP_FN wp::Tuple2<T, bool> overflowing_##name(T a) { return pair(result(a)); }
WP_FAMILY(neg, negated)
WP_FAMILY(abs, magnitude)
#undef WP_FAMILY

#define WP_FAMILY(name, B, result)                                                                                  \
    template <typename T> WP_FN Option<T> checked_##name(T a, B b) { return if_fits(result(a, b)); }                \
    template <typename T> WP_FN wp::Tuple2<T, bool> overflowing_##name(T a, B b) { return pair(result(a, b)); }
#define WP_WRAPPING_FAMILY(name, B, result)                                                                         \
    template <typename T> WP_FN T wrapping_##name(T a, B b) { return result(a, b).value; }                          \
    WP_FAMILY(name, B, result)
WP_WRAPPING_FAMILY(add, T, added)
WP_WRAPPING_FAMILY(sub, T, subtracted)
WP_WRAPPING_FAMILY(mul, T, multiplied)
WP_WRAPPING_FAMILY(add_signed, Signed<T>, added_signed)
WP_WRAPPING_FAMILY(add_unsigned, Unsigned<T>, added_unsigned)
WP_WRAPPING_FAMILY(sub_unsigned, Unsigned<T>, subtracted_unsigned)
WP_WRAPPING_FAMILY(pow, u32, raised)
WP_FAMILY(shl, u32, shifted_left)
WP_FAMILY(shr, u32, shifted_right)
#undef WP_WRAPPING_FAMILY
#undef WP_FAMILY

/// A divisor of zero is a fault in every form except `checked_`.
#define WP_FAMILY(name, result)                                                                                     \
    template <typename T> WP_FN T wrapping_##name(T a, T b, Context& cx, u32 site) {                                \
        if (b != 0) return result(a, b).value;                                                                      \
        fault(cx, site);                                                                                            \
        return 0;                                                                                                   \
    }                                                                                                               \
    template <typename T> WP_FN Option<T> checked_##name(T a, T b) {                                                \
        return b != 0 ? if_fits(result(a, b)) : wp::None<T>();                                                      \
    }                                                                                                               \
    template <typename T>                                                                                           \
    WP_FN wp::Tuple2<T, bool> overflowing_##name(T a, T b, Context& cx, u32 site) {                                 \
        if (b != 0) return pair(result(a, b));                                                                      \
        fault(cx, site);                                                                                            \
        return {0, false};                                                                                          \
    }
WP_FAMILY(div, divided)
WP_FAMILY(rem, remainder)
WP_FAMILY(div_euclid, divided_euclid)
WP_FAMILY(rem_euclid, remainder_euclid)
#undef WP_FAMILY

/// An overflow becomes the nearest value of the type: the smallest value if the expression `below` is true, otherwise
/// the largest.
#define WP_SATURATING(name, B, result, below)                                                                       \
    template <typename T> WP_FN T saturating_##name(T a, B b) {                                                     \
        const Overflowing<T> fitted = result(a, b);                                                                 \
        return fitted.overflowed ? end<T>(below) : fitted.value;                                                    \
    }
WP_SATURATING(add, T, added, below_zero(b))
WP_SATURATING(sub, T, subtracted, !Integer<T>::is_signed || b > 0)
WP_SATURATING(mul, T, multiplied, below_zero(a) != below_zero(b))
WP_SATURATING(add_signed, Signed<T>, added_signed, b < 0)
WP_SATURATING(add_unsigned, Unsigned<T>, added_unsigned, false)
WP_SATURATING(sub_unsigned, Unsigned<T>, subtracted_unsigned, true)
WP_SATURATING(pow, u32, raised, below_zero(a) && b % 2 == 1)
#undef WP_SATURATING

template <typename T> WP_FN T saturating_neg(T a) { return a == Integer<T>::min ? Integer<T>::max : negated(a).value; }
template <typename T> WP_FN T saturating_abs(T a) { return a == Integer<T>::min ? Integer<T>::max : magnitude(a).value; }
template <typename T> WP_FN T saturating_div(T a, T b, Context& cx, u32 site) {
    return overflows_when_divided(a, b) ? Integer<T>::max : wrapping_div(a, b, cx, site);
}
template <typename T> WP_FN T unbounded_shl(T a, u32 amount) {
    return amount < Integer<T>::bits ? wrapping_shl(a, amount) : (T)0;
}
template <typename T> WP_FN T unbounded_shr(T a, u32 amount) {
    return amount < Integer<T>::bits ? wrapping_shr(a, amount) : below_zero(a) ? (T)-1 : (T)0;
}

// ---- arithmetic ---------------------------------------------------------------------------------------------------

template <typename T> WP_FN T signum(T a) {
    if constexpr (Kind<T>::is_float) return a != a ? a : is_sign_negative(a) ? (T)-1 : (T)1;
    else return (T)((a > 0) - (a < 0));
}
template <typename T> WP_FN bool is_positive(T a) { return a > 0; }
template <typename T> WP_FN bool is_negative(T a) { return a < 0; }
template <typename T> WP_FN Signed<T> cast_signed(T a) { return (Signed<T>)a; }
template <typename T> WP_FN Unsigned<T> cast_unsigned(T a) { return (Unsigned<T>)a; }
template <typename T> WP_FN Unsigned<T> abs_diff(T a, T b) {
    typedef Unsigned<T> U;
    return a < b ? (U)((U)b - (U)a) : (U)((U)a - (U)b);
}
template <typename T> WP_FN T abs(T a, Context& cx, u32 site) { return fits(magnitude(a), cx, site); }
template <typename T> WP_FN T pow(T a, u32 exponent, Context& cx, u32 site) { return fits(raised(a, exponent), cx, site); }

template <typename T> WP_FN T rem_euclid(T a, T b, Context& cx, u32 site) {
    return divides(a, b, cx, site) ? remainder_euclid(a, b).value : (T)0;
}
template <typename T> WP_FN T div_euclid(T a, T b, Context& cx, u32 site) {
    return divides(a, b, cx, site) ? divided_euclid(a, b).value : (T)0;
}
template <typename T> WP_FN T div_ceil(T a, T b, Context& cx, u32 site) {
    return divides(a, b, cx, site) ? (T)(a / b + (a % b != 0)) : (T)0;
}

/// Returns the mean, rounded towards zero.
template <typename T> WP_FN T midpoint(T a, T b) {
    const T floor = (T)(((T)(a ^ b) >> 1) + (a & b));
    return (T)(floor + (T)(below_zero(floor) ? (a ^ b) & 1 : 0));
}

/// Returns the smallest multiple of b that is at least a. b must not be zero.
template <typename T> WP_FN Overflowing<T> multiple_above(T a, T b) {
    const T rest = (T)(a % b);
    return rest == 0 ? Overflowing<T>{a, false} : added(a, (T)(b - rest));
}
template <typename T> WP_FN T next_multiple_of(T a, T b, Context& cx, u32 site) {
    return divides(a, b, cx, site) ? fits(multiple_above(a, b), cx, site + 1) : (T)0;
}
template <typename T> WP_FN Option<T> checked_next_multiple_of(T a, T b) {
    return b == 0 ? wp::None<T>() : if_fits(multiple_above(a, b));
}
template <typename T> WP_FN bool is_multiple_of(T a, T b) { return b == 0 ? a == 0 : a % b == 0; }

/// Returns the largest number whose square is at most a, computed digit by digit. a must not be negative.
template <typename T> WP_FN T square_root(T a) {
    Unsigned<T> rest = (Unsigned<T>)a, root = 0;
    for (u32 shift = Integer<T>::bits - 2;; shift -= 2) {
        const Unsigned<T> bit = (Unsigned<T>)((Unsigned<T>)1 << shift);
        const Unsigned<T> candidate = (Unsigned<T>)(root + bit);
        root >>= 1;
        if (rest >= candidate) {
            rest -= candidate;
            root += bit;
        }
        if (shift == 0) return (T)root;
    }
}
template <typename T> WP_FN T isqrt(T a) { return square_root(a); }
template <typename T> WP_FN T isqrt(T a, Context& cx, u32 site) {
    if (a >= 0) return square_root(a);
    fault(cx, site);
    return 0;
}
template <typename T> WP_FN Option<T> checked_isqrt(T a) { return a < 0 ? wp::None<T>() : wp::Some<T>(square_root(a)); }

// ---- bits ---------------------------------------------------------------------------------------------------------

#ifdef __CUDACC__
WP_FN u32 ones(u32 bits) { return (u32)__popc(bits); }
WP_FN u32 ones(u64 bits) { return (u32)__popcll(bits); }
WP_FN u32 zeros_above(u32 bits) { return (u32)__clz((i32)bits); }
WP_FN u32 zeros_above(u64 bits) { return (u32)__clzll((i64)bits); }
WP_FN u32 zeros_below(u32 bits) { return (u32)__ffs((i32)bits) - 1; }
WP_FN u32 zeros_below(u64 bits) { return (u32)__ffsll((i64)bits) - 1; }
WP_FN u64 reversed(u64 bits) { return __brevll(bits); }
#else
WP_FN u32 ones(u64 bits) {
    bits = bits - ((bits >> 1) & 0x5555555555555555ull);
    bits = (bits & 0x3333333333333333ull) + ((bits >> 2) & 0x3333333333333333ull);
    return (u32)((((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0full) * 0x0101010101010101ull) >> 56);
}
WP_FN u32 ones(u32 bits) { return ones((u64)bits); }
WP_FN u32 zeros_above(u64 bits) {
    for (u32 shift = 1; shift < 64; shift *= 2) bits |= bits >> shift;
    return 64 - ones(bits);
}
WP_FN u32 zeros_above(u32 bits) { return zeros_above((u64)bits) - 32; }
WP_FN u32 zeros_below(u64 bits) { return ones((bits & (0 - bits)) - 1); }
WP_FN u32 zeros_below(u32 bits) { return zeros_below((u64)bits); }
WP_FN u64 reversed(u64 bits) {
    bits = (bits >> 1 & 0x5555555555555555ull) | (bits & 0x5555555555555555ull) << 1;
    bits = (bits >> 2 & 0x3333333333333333ull) | (bits & 0x3333333333333333ull) << 2;
    bits = (bits >> 4 & 0x0f0f0f0f0f0f0f0full) | (bits & 0x0f0f0f0f0f0f0f0full) << 4;
    bits = (bits >> 8 & 0x00ff00ff00ff00ffull) | (bits & 0x00ff00ff00ff00ffull) << 8;
    bits = (bits >> 16 & 0x0000ffff0000ffffull) | (bits & 0x0000ffff0000ffffull) << 16;
    return bits >> 32 | bits << 32;
}
#endif

/// Returns the number as a zero-extended unsigned word for the functions above.
template <typename T> WP_FN auto word(T a) {
    if constexpr (Integer<T>::bits == 64) return (u64)a;
    else return (u32)(Unsigned<T>)a;
}

template <typename T> WP_FN u32 count_ones(T a) { return ones(word(a)); }
template <typename T> WP_FN u32 count_zeros(T a) { return Integer<T>::bits - count_ones(a); }
template <typename T> WP_FN u32 leading_zeros(T a) {
    return zeros_above(word(a)) - ((u32)sizeof(word(a)) * 8 - Integer<T>::bits);
}
template <typename T> WP_FN u32 trailing_zeros(T a) { return a == 0 ? Integer<T>::bits : zeros_below(word(a)); }
template <typename T> WP_FN u32 leading_ones(T a) { return leading_zeros((T)~a); }
template <typename T> WP_FN u32 trailing_ones(T a) { return trailing_zeros((T)~a); }
template <typename T> WP_FN T reverse_bits(T a) {
    return (T)(Unsigned<T>)(reversed((u64)(Unsigned<T>)a) >> (64 - Integer<T>::bits));
}
template <typename T> WP_FN T rotate_left(T a, u32 amount) {
    typedef Unsigned<T> U;
    const u32 left = amount & (Integer<T>::bits - 1);
    return left == 0 ? a : (T)(U)((U)((U)a << left) | (U)((U)a >> (Integer<T>::bits - left)));
}
template <typename T> WP_FN T rotate_right(T a, u32 amount) {
    return rotate_left(a, Integer<T>::bits - (amount & (Integer<T>::bits - 1)));
}

/// Reverses the bytes. Hosts and devices are both little-endian.
template <typename T> WP_FN T swap_bytes(T a) {
    Unsigned<T> swapped = 0;
    for (u32 shift = 0; shift < Integer<T>::bits; shift += 8) {
        const Unsigned<T> byte = (Unsigned<T>)(((Unsigned<T>)a >> shift) & 0xff);
        swapped |= (Unsigned<T>)(byte << (Integer<T>::bits - 8 - shift));
    }
    return (T)swapped;
}
template <typename T> WP_FN T to_be(T a) { return swap_bytes(a); }
template <typename T> WP_FN T to_le(T a) { return a; }
template <typename T> WP_FN T from_be(T a) { return swap_bytes(a); }
template <typename T> WP_FN T from_le(T a) { return a; }

// ---- powers and logarithms ----------------------------------------------------------------------------------------

template <typename T> WP_FN bool is_power_of_two(T a) { return a != 0 && (a & (T)(a - 1)) == 0; }
template <typename T> WP_FN Overflowing<T> power_above(T a) {
    if (a <= 1) return {1, false};
    return added((T)(Integer<T>::max >> leading_zeros((T)(a - 1))), (T)1);
}
template <typename T> WP_FN T next_power_of_two(T a, Context& cx, u32 site) { return fits(power_above(a), cx, site); }
template <typename T> WP_FN Option<T> checked_next_power_of_two(T a) { return if_fits(power_above(a)); }

/// Returns the logarithm, rounded down, of a number above zero to a base above one.
template <typename T> WP_FN u32 logarithm(T a, T base) {
    u32 digits = 0;
    for (; a >= base; a = (T)(a / base)) digits += 1;
    return digits;
}
template <typename T> WP_FN Option<u32> checked_ilog(T a, T base) {
    return a <= 0 || base <= 1 ? wp::None<u32>() : wp::Some<u32>(logarithm(a, base));
}
template <typename T> WP_FN Option<u32> checked_ilog2(T a) {
    return a <= 0 ? wp::None<u32>() : wp::Some<u32>(Integer<T>::bits - 1 - leading_zeros(a));
}
template <typename T> WP_FN Option<u32> checked_ilog10(T a) { return checked_ilog(a, (T)10); }

/// Returns the logarithm; records a fault if it is undefined.
WP_FN u32 defined(Option<u32> logarithm, Context& cx, u32 site) {
    if (!logarithm.some) fault(cx, site);
    return logarithm.value;
}
template <typename T> WP_FN u32 ilog(T a, T base, Context& cx, u32 site) {
    if (base < 2) fault(cx, site);
    return defined(checked_ilog(a, base), cx, site + 1);
}
template <typename T> WP_FN u32 ilog2(T a, Context& cx, u32 site) { return defined(checked_ilog2(a), cx, site); }
template <typename T> WP_FN u32 ilog10(T a, Context& cx, u32 site) { return defined(checked_ilog10(a), cx, site); }

}  // namespace rust

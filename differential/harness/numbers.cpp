// Precedes `values.cuh`, which combines numbers: the functions of CUDA that it calls.
#define WP_COMBINE WP_ANY
static inline wp::u32 __float_as_uint(wp::f32 x) { return rust::to_bits(x); }
static inline wp::i64 __double_as_longlong(wp::f64 x) { return (wp::i64)rust::to_bits(x); }
static inline wp::f32 __uint_as_float(wp::u32 bits) { return rust::f32_from_bits(bits); }
static inline wp::f64 __longlong_as_double(wp::i64 bits) { return rust::f64_from_bits((wp::u64)bits); }

// The less common functions of CUDA's mathematical library, and arithmetic that says how it rounds.
#ifndef MYTRITON_LIBDEVICE_H
#define MYTRITON_LIBDEVICE_H

extern "C" double j0(double);
extern "C" double j1(double);
extern "C" double jn(int, double);
extern "C" double y0(double);
extern "C" double y1(double);
extern "C" double yn(int, double);
extern "C" int ilogb(double);

// Integers.
static inline int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
static inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
static inline unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
static inline int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
static inline unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
static inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a < b ? b - a : a - b) + c; }
static inline unsigned __sad(int a, int b, unsigned c) {
  return (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b) + c;
}

// What libdevice asks of a float.
#define MYTRITON_PROPERTIES(type, suffix, absolute, infinity, power)                                                  \
  static inline int is_nan_##suffix(type x) { return x != x; }                                                        \
  static inline int is_infinite_##suffix(type x) { return absolute(x) == infinity; }                                  \
  static inline int is_finite_##suffix(type x) { return absolute(x) < infinity; }                                     \
  static inline int sign_bit_##suffix(type x) { return mytriton_to_bits(x) < 0; }                                     \
  static inline type power_##suffix(type x, int n) { return power(x, (type)n); }
MYTRITON_PROPERTIES(float, f32, __builtin_fabsf, __builtin_inff(), powf)
MYTRITON_PROPERTIES(double, f64, __builtin_fabs, __builtin_inf(), pow)
#undef MYTRITON_PROPERTIES
static inline double mytriton_upper_half(double x) {
  return __longlong_as_double(__double_as_longlong(x) & (long long)0xffffffff00000000);
}
static inline double reciprocal_high(double x) { return mytriton_upper_half(1.0 / mytriton_upper_half(x)); }

static inline int ilogbf(float x) { return ilogb((double)x); }
static inline long long llrint(double x) { return double_to_s64(__builtin_rint(x)); }
static inline long long llround(double x) { return double_to_s64(round(x)); }
static inline long long llrintf(float x) { return llrint((double)x); }
static inline long long llroundf(float x) { return llround((double)x); }
static inline float scalbnf(float x, int n) { return ldexpf(x, n); }
static inline double scalbn(double x, int n) { return ldexp(x, n); }

// Special functions, in double.
static inline double sinpi(double x) {
  if (!(__builtin_fabs(x) < __builtin_inf())) return __builtin_nan("");
  const double reduced = fmod(x, 2.0), quarter = __builtin_rint(2.0 * reduced);
  const double angle = 3.141592653589793 * (reduced - 0.5 * quarter);
  if (x == __builtin_trunc(x)) return copysign(0.0, x);
  const int turn = (int)quarter & 3;
  const double value = turn & 1 ? cos(angle) : sin(angle);
  return turn & 2 ? -value : value;
}
static inline double cospi(double x) {
  const double reduced = fmod(__builtin_fabs(x), 2.0), quarter = __builtin_rint(2.0 * reduced);
  const double rest = reduced - 0.5 * quarter, angle = 3.141592653589793 * rest;
  const int turn = x == x && __builtin_fabs(x) < __builtin_inf() ? (int)quarter & 3 : 0;
  const double value = turn & 1 ? (rest == 0.0 ? 0.0 : -sin(angle)) : cos(angle);
  return turn & 2 ? (value == 0.0 ? 0.0 : -value) : value;
}
static inline double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
static inline double norm3d(double a, double b, double c) { return hypot(hypot(a, b), c); }
static inline double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
static inline double norm4d(double a, double b, double c, double d) { return hypot(hypot(a, b), hypot(c, d)); }
static inline double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }

// The modified Bessel functions: their power series where it is short, else their expansion at infinity.
static inline double mytriton_bessel_i(double x, int order) {
  const double size = __builtin_fabs(x);
  if (!(size < 720.0)) return order ? x * __builtin_inf() : size * __builtin_inf();
  double sum = 1.0, term = 1.0;
  if (size < 30.0) {
    for (int k = 1; k < 80; ++k) {
      term *= size * size / 4.0 / (k * (double)(k + order));
      sum += term;
    }
    return order ? x / 2.0 * sum : sum;
  }
  for (int k = 1; k < 20; ++k) {
    term *= ((2.0 * k - 1.0) * (2.0 * k - 1.0) - 4.0 * order) / (8.0 * size * k);
    sum += term;
  }
  const double half = exp(size / 2.0);
  const double value = half * (half * (sum / __builtin_sqrt(6.283185307179586 * size)));
  return order && x < 0.0 ? -value : value;
}
static inline double cyl_bessel_i0(double x) { return mytriton_bessel_i(x, 0); }
static inline double cyl_bessel_i1(double x) { return mytriton_bessel_i(x, 1); }

// exp(x * x) * erfc(x)
static inline double erfcx(double x) {
  if (x < -27.0) return __builtin_inf();
  if (x < 10.0) {
    const double square = x * x;
    return exp(square) * (1.0 + __builtin_fma(x, x, -square)) * erfc(x);
  }
  double sum = 1.0, term = 1.0;
  for (int k = 1; k < 16; ++k) {
    term *= -(2.0 * k - 1.0) / (2.0 * x * x);
    sum += term;
  }
  return sum / (x * 1.772453850905516);
}

// The inverse of erfc: an estimate from the tail's logarithm, then Halley's steps.
static inline double erfcinv(double x) {
  if (!(x > 0.0 && x < 2.0)) return x == 0.0 ? __builtin_inf() : x == 2.0 ? -__builtin_inf() : __builtin_nan("");
  const double tail = x < 1.0 ? x : 2.0 - x;
  if (tail == 1.0) return 0.0;
  const double t = __builtin_sqrt(-2.0 * log(tail / 2.0));
  double y = (t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)))) *
             0.7071067811865476;
  for (int step = 0; step < 4; ++step) {
    const double error = (erfc(y) - tail) / (1.1283791670955126 * exp(-y * y));
    y += error / (1.0 + y * error);
  }
  return x < 1.0 ? y : -y;
}
static inline double erfinv(double x) {
  const double size = __builtin_fabs(x);
  if (size >= 0.5) return copysign(erfcinv(1.0 - size), x);
  double y = 0.886226925452758 * x;
  for (int step = 0; step < 5; ++step) {
    const double error = (erf(y) - x) / (1.1283791670955126 * exp(-y * y));
    y -= error / (1.0 + y * error);
  }
  return y;
}
static inline double normcdf(double x) { return 0.5 * erfc(x * -0.7071067811865476); }
static inline double normcdfinv(double x) { return erfcinv(2.0 * x) * -1.4142135623730951; }

#define MYTRITON_FLOAT_1(name)                                                                                        \
  static inline float name##f(float x) { return (float)name((double)x); }
MYTRITON_FLOAT_1(cospi)
MYTRITON_FLOAT_1(cyl_bessel_i0)
MYTRITON_FLOAT_1(cyl_bessel_i1)
MYTRITON_FLOAT_1(erfcinv)
MYTRITON_FLOAT_1(erfcx)
MYTRITON_FLOAT_1(erfinv)
MYTRITON_FLOAT_1(j0)
MYTRITON_FLOAT_1(j1)
MYTRITON_FLOAT_1(normcdf)
MYTRITON_FLOAT_1(normcdfinv)
MYTRITON_FLOAT_1(sinpi)
MYTRITON_FLOAT_1(y0)
MYTRITON_FLOAT_1(y1)
#undef MYTRITON_FLOAT_1
static inline float jnf(int n, float x) { return (float)jn(n, (double)x); }
static inline float ynf(int n, float x) { return (float)yn(n, (double)x); }
static inline float rhypotf(float x, float y) { return (float)rhypot((double)x, (double)y); }
static inline float norm3df(float a, float b, float c) { return (float)norm3d(a, b, c); }
static inline float rnorm3df(float a, float b, float c) { return (float)rnorm3d(a, b, c); }
static inline float norm4df(float a, float b, float c, float d) { return (float)norm4d(a, b, c, d); }
static inline float rnorm4df(float a, float b, float c, float d) { return (float)rnorm4d(a, b, c, d); }

// Directed rounding: a neighbour of the exact result, and on which side of it the exact result is, give the wanted one.
enum mytriton_rounding { mytriton_rz, mytriton_rd, mytriton_ru };

static inline float mytriton_next(float x, float to) { return nextafterf(x, to); }
static inline double mytriton_next(double x, double to) { return nextafter(x, to); }

template <class T> static inline T mytriton_directed(T result, double error, mytriton_rounding rounding) {
  const bool down = rounding == mytriton_rd || (rounding == mytriton_rz && result > 0);
  const bool up = rounding == mytriton_ru || (rounding == mytriton_rz && result < 0);
  const T infinity = (T)__builtin_inf();
  if (down && error < 0) return mytriton_next(result, -infinity);
  if (up && error > 0) return mytriton_next(result, infinity);
  return result;
}

// The float for `sum + rest`, where `rest` is less than the distance of `sum` to its neighbours.
static inline float mytriton_directed_float(double sum, double rest, mytriton_rounding rounding) {
  const float result = (float)sum;
  const double error = sum - (double)result;
  return mytriton_directed(result, error == 0.0 ? rest : error, rounding);
}

// Where finite operands gave an infinite result, the exact one is smaller.
static inline double mytriton_error(double result, double error, bool finite) {
  return finite && __builtin_fabs(result) == __builtin_inf() ? -result : error;
}

static inline double mytriton_rest_of_sum(double a, double b, double sum) {
  const double of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b);
}

// A sum that is exactly zero is -0 if it is rounded down, unless both parts are +0.
static inline bool mytriton_negative_zero(double sum, double a, double b, mytriton_rounding rounding) {
  return rounding == mytriton_rd && sum == 0.0 && (signbit(a) || signbit(b));
}

static inline float mytriton_add(float a, float b, mytriton_rounding rounding) {
  const double sum = (double)a + (double)b;
  if (mytriton_negative_zero(sum, a, b, rounding)) return -0.0f;
  return mytriton_directed_float(sum, mytriton_rest_of_sum(a, b, sum), rounding);
}
static inline double mytriton_add(double a, double b, mytriton_rounding rounding) {
  const double sum = a + b;
  if (mytriton_negative_zero(sum, a, b, rounding)) return -0.0;
  const double rest = mytriton_rest_of_sum(a, b, sum);
  return mytriton_directed(sum, mytriton_error(sum, rest, isfinite(a) && isfinite(b)), rounding);
}
static inline float mytriton_mul(float a, float b, mytriton_rounding rounding) {
  return mytriton_directed_float((double)a * (double)b, 0.0, rounding);
}
static inline double mytriton_mul(double a, double b, mytriton_rounding rounding) {
  const double product = a * b, rest = __builtin_fma(a, b, -product);
  return mytriton_directed(product, mytriton_error(product, rest, isfinite(a) && isfinite(b)), rounding);
}
static inline float mytriton_div(float a, float b, mytriton_rounding rounding) {
  const double quotient = (double)a / (double)b, rest = __builtin_fma(-quotient, (double)b, (double)a);
  return mytriton_directed_float(quotient, b < 0.0f ? -rest : rest, rounding);
}
static inline double mytriton_div(double a, double b, mytriton_rounding rounding) {
  const double quotient = a / b, rest = __builtin_fma(-quotient, b, a);
  const bool finite = isfinite(a) && isfinite(b) && b != 0.0;
  return mytriton_directed(quotient, mytriton_error(quotient, b < 0.0 ? -rest : rest, finite), rounding);
}
static inline float mytriton_sqrt(float x, mytriton_rounding rounding) {
  const double root = __builtin_sqrt((double)x);
  return mytriton_directed_float(root, __builtin_fma(-root, root, (double)x), rounding);
}
static inline double mytriton_sqrt(double x, mytriton_rounding rounding) {
  const double root = __builtin_sqrt(x);
  return mytriton_directed(root, __builtin_fma(-root, root, x), rounding);
}
static inline float mytriton_fma(float a, float b, float c, mytriton_rounding rounding) {
  const double product = (double)a * (double)b, sum = product + (double)c;
  if (mytriton_negative_zero(sum, product, c, rounding)) return -0.0f;
  return mytriton_directed_float(sum, mytriton_rest_of_sum(product, c, sum), rounding);
}
static inline double mytriton_fma(double a, double b, double c, mytriton_rounding rounding) {
  const double result = __builtin_fma(a, b, c), product = a * b, rest = __builtin_fma(a, b, -product);
  if (result == 0.0 && mytriton_negative_zero(product + c, product, c, rounding)) return -0.0;
  const double low = c + rest, lost = mytriton_rest_of_sum(c, rest, low);
  const double high = product + low, carried = mytriton_rest_of_sum(product, low, high);
  const double error = ((high - result) + carried) + lost;
  return mytriton_directed(
      result, mytriton_error(result, error, isfinite(a) && isfinite(b) && isfinite(c)), rounding);
}
template <class T> static inline T mytriton_from_integer(long long x, mytriton_rounding rounding) {
  const T result = (T)x;
  const bool is_beyond = result == (T)0x1p63;
  return mytriton_directed(result, is_beyond ? -1.0 : (double)(x - (long long)result), rounding);
}
template <class T> static inline T mytriton_from_integer(unsigned long long x, mytriton_rounding rounding) {
  const T result = (T)x;
  const bool is_beyond = result == (T)0x1p64;
  return mytriton_directed(result, is_beyond ? -1.0 : (double)(long long)(x - (unsigned long long)result), rounding);
}

#define MYTRITON_DIRECTED(r)                                                                                          \
  static inline float __fadd_##r(float a, float b) { return mytriton_add(a, b, mytriton_##r); }                       \
  static inline double __dadd_##r(double a, double b) { return mytriton_add(a, b, mytriton_##r); }                    \
  static inline float __fsub_##r(float a, float b) { return mytriton_add(a, -b, mytriton_##r); }                      \
  static inline double __dsub_##r(double a, double b) { return mytriton_add(a, -b, mytriton_##r); }                   \
  static inline float __fmul_##r(float a, float b) { return mytriton_mul(a, b, mytriton_##r); }                       \
  static inline double __dmul_##r(double a, double b) { return mytriton_mul(a, b, mytriton_##r); }                    \
  static inline float __fdiv_##r(float a, float b) { return mytriton_div(a, b, mytriton_##r); }                       \
  static inline double __ddiv_##r(double a, double b) { return mytriton_div(a, b, mytriton_##r); }                    \
  static inline float __frcp_##r(float x) { return mytriton_div(1.0f, x, mytriton_##r); }                             \
  static inline double __drcp_##r(double x) { return mytriton_div(1.0, x, mytriton_##r); }                            \
  static inline float __fsqrt_##r(float x) { return mytriton_sqrt(x, mytriton_##r); }                                 \
  static inline double __dsqrt_##r(double x) { return mytriton_sqrt(x, mytriton_##r); }                               \
  static inline float __fmaf_##r(float a, float b, float c) { return mytriton_fma(a, b, c, mytriton_##r); }           \
  static inline double __fma_##r(double a, double b, double c) { return mytriton_fma(a, b, c, mytriton_##r); }        \
  static inline float __double2float_##r(double x) { return mytriton_directed_float(x, 0.0, mytriton_##r); }          \
  static inline float __int2float_##r(int x) { return mytriton_from_integer<float>((long long)x, mytriton_##r); }     \
  static inline float __uint2float_##r(unsigned x) {                                                                  \
    return mytriton_from_integer<float>((long long)x, mytriton_##r);                                                  \
  }                                                                                                                   \
  static inline float __ll2float_##r(long long x) { return mytriton_from_integer<float>(x, mytriton_##r); }           \
  static inline float __ull2float_##r(unsigned long long x) { return mytriton_from_integer<float>(x, mytriton_##r); } \
  static inline double __ll2double_##r(long long x) { return mytriton_from_integer<double>(x, mytriton_##r); }        \
  static inline double __ull2double_##r(unsigned long long x) {                                                       \
    return mytriton_from_integer<double>(x, mytriton_##r);                                                            \
  }
MYTRITON_DIRECTED(rz)
MYTRITON_DIRECTED(rd)
MYTRITON_DIRECTED(ru)
#undef MYTRITON_DIRECTED

// To integers, rounded down and up; the forms that round to nearest and to zero are with the common functions.
#define MYTRITON_CONVERSIONS(from, f, r, function)                                                                    \
  static inline unsigned __##from##2uint_##r(from x) { return __##from##2uint_rz(function##f(x)); }                   \
  static inline long long __##from##2ll_##r(from x) { return __##from##2ll_rz(function##f(x)); }                      \
  static inline unsigned long long __##from##2ull_##r(from x) { return __##from##2ull_rz(function##f(x)); }
MYTRITON_CONVERSIONS(float, f, rd, __builtin_floor)
MYTRITON_CONVERSIONS(float, f, ru, __builtin_ceil)
MYTRITON_CONVERSIONS(double, , rd, __builtin_floor)
MYTRITON_CONVERSIONS(double, , ru, __builtin_ceil)
#undef MYTRITON_CONVERSIONS

#endif

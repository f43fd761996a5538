// Floats of 8 bits are storage, as half and bfloat16 are: a sign, an exponent and a mantissa of 3 or 2 bits.
#ifndef MYTRITON_FLOAT8_H
#define MYTRITON_FLOAT8_H

struct float8e4m3 {
  unsigned char bits;
};
struct float8e5m2 {
  unsigned char bits;
};
struct float8e4m3fnuz {
  unsigned char bits;
};
struct float8e5m2fnuz {
  unsigned char bits;
};

// The number behind `bits`, where magnitudes above LARGEST are an infinity or no numbers. Without a negative zero, its
// bits are the only ones that are no number.
template <int MANTISSA, int BIAS, unsigned LARGEST, bool HAS_NEGATIVE_ZERO>
static inline float mytriton_decode_float8(unsigned bits) {
  const unsigned magnitude = bits & 0x7f, offset = (127 - BIAS) << 23;
  const float smallest = __uint_as_float((127 + 1 - BIAS - MANTISSA) << 23);
  float value = magnitude >> MANTISSA ? __uint_as_float((magnitude << (23 - MANTISSA)) + offset) : magnitude * smallest;
  if (!HAS_NEGATIVE_ZERO && bits == 0x80) value = __uint_as_float(0x7fc00000);
  if (magnitude > LARGEST) value = __uint_as_float(0x7f800000 | (MANTISSA == 2 ? (magnitude & 3) << 21 : 0x400000));
  return bits & 0x80 ? -value : value;
}

// Rounds to nearest even; what is beyond the largest number becomes that.
template <int MANTISSA, int BIAS, unsigned LARGEST, bool HAS_NEGATIVE_ZERO>
static inline unsigned char mytriton_encode_float8(float x) {
  const unsigned shift = 23 - MANTISSA, offset = (127 - BIAS) << 23;
  const unsigned bits = __float_as_uint(x), sign = bits >> 24 & 0x80;
  unsigned magnitude = bits & 0x7fffffff;
  // The unit of this number's last place is the smallest number of the format.
  const unsigned rounder = (127 + 24 - BIAS - MANTISSA) << 23;
  if (magnitude > 0x7f800000) return HAS_NEGATIVE_ZERO ? 0x7f : 0x80;
  if (magnitude >= (LARGEST << shift) + offset) {
    magnitude = LARGEST;
  } else if (magnitude < offset + (1 << 23)) {
    magnitude = __float_as_uint(__uint_as_float(magnitude) + __uint_as_float(rounder)) - rounder;
  } else {
    magnitude = (magnitude - offset + (1 << (shift - 1)) - 1 + (magnitude >> shift & 1)) >> shift;
  }
  return (unsigned char)(magnitude || HAS_NEGATIVE_ZERO ? sign | magnitude : 0);
}

static inline float float8e4m3_to_float(float8e4m3 x) { return mytriton_decode_float8<3, 7, 0x7e, true>(x.bits); }
static inline float8e4m3 float_to_float8e4m3(float x) { return {mytriton_encode_float8<3, 7, 0x7e, true>(x)}; }
static inline float8e4m3 double_to_float8e4m3(double x) { return float_to_float8e4m3(mytriton_round_to_odd(x)); }

static inline float float8e5m2_to_float(float8e5m2 x) { return mytriton_decode_float8<2, 15, 0x7b, true>(x.bits); }
static inline float8e5m2 float_to_float8e5m2(float x) { return {mytriton_encode_float8<2, 15, 0x7b, true>(x)}; }
static inline float8e5m2 double_to_float8e5m2(double x) { return float_to_float8e5m2(mytriton_round_to_odd(x)); }

static inline float float8e4m3fnuz_to_float(float8e4m3fnuz x) {
  return mytriton_decode_float8<3, 8, 0x7f, false>(x.bits);
}
static inline float8e4m3fnuz float_to_float8e4m3fnuz(float x) { return {mytriton_encode_float8<3, 8, 0x7f, false>(x)}; }
static inline float8e4m3fnuz double_to_float8e4m3fnuz(double x) {
  return float_to_float8e4m3fnuz(mytriton_round_to_odd(x));
}

static inline float float8e5m2fnuz_to_float(float8e5m2fnuz x) {
  return mytriton_decode_float8<2, 16, 0x7f, false>(x.bits);
}
static inline float8e5m2fnuz float_to_float8e5m2fnuz(float x) {
  return {mytriton_encode_float8<2, 16, 0x7f, false>(x)};
}
static inline float8e5m2fnuz double_to_float8e5m2fnuz(double x) {
  return float_to_float8e5m2fnuz(mytriton_round_to_odd(x));
}

#endif

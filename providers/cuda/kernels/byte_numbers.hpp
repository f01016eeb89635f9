// Numbers of 8-bit integers: zero points, rounding and dot products, as the cpu provider computes
// them.
#pragma once

#include "providers/cuda/kernels/element_math.hpp"
#include "providers/cuda/kernels/quantized_params.hpp"

namespace ortool::cuda {

// Products and sums that are rounded each, not fused.
#ifdef __CUDACC__
ORTOOL_DEVICE float rounded_product(float a, float b) {
  return __fmul_rn(a, b);
}
ORTOOL_DEVICE float rounded_sum(float a, float b) {
  return __fadd_rn(a, b);
}
ORTOOL_DEVICE double rounded_product(double a, double b) {
  return __dmul_rn(a, b);
}
/// sum + the products of four signed bytes.
ORTOOL_DEVICE int32_t add_dot(uint32_t a, uint32_t b, int32_t sum) {
  return __dp4a(static_cast<int32_t>(a), static_cast<int32_t>(b), sum);
}
#else
inline float rounded_product(float a, float b) {
  return a * b;
}
inline float rounded_sum(float a, float b) {
  return a + b;
}
inline double rounded_product(double a, double b) {
  return a * b;
}
inline int32_t add_dot(uint32_t a, uint32_t b, int32_t sum) {
  for (unsigned shift = 0; shift < 32; shift += 8)
    sum += static_cast<int8_t>(a >> shift) * static_cast<int8_t>(b >> shift);
  return sum;
}
#endif

ORTOOL_DEVICE int32_t flip_of(int32_t type) {
  return type == element_u8 ? 128 : 0;
}
ORTOOL_DEVICE uint32_t flip_of_word(int32_t type) {
  return type == element_u8 ? 0x80808080U : 0U;
}
ORTOOL_DEVICE int32_t signed_byte(uint32_t byte) {
  return static_cast<int8_t>(static_cast<uint8_t>(byte));
}

/// A zero point as it is.
ORTOOL_DEVICE int32_t zero_point_at(const void* data, int32_t type, int64_t index) {
  if (data == nullptr) return 0;
  return type == element_u8 ? int32_t{static_cast<const uint8_t*>(data)[index]}
                            : int32_t{static_cast<const int8_t*>(data)[index]};
}
ORTOOL_DEVICE int32_t zero_point_at(const ZeroPointList& zeros, int64_t index) {
  return zero_point_at(zeros.data, zeros.type, zeros.is_list != 0 ? index : 0);
}
/// Of flipped values.
ORTOOL_DEVICE int32_t signed_zero_point(const ZeroPointList& zeros, int64_t index) {
  return zero_point_at(zeros, index) - flip_of(zeros.type);
}

/// Integers wrap around.
ORTOOL_DEVICE int32_t wrapped(uint32_t value) {
  return static_cast<int32_t>(value);
}
ORTOOL_DEVICE uint32_t unsigned_of(int64_t value) {
  return static_cast<uint32_t>(value);
}

/// Within the bounds; NaN becomes the lower one.
ORTOOL_DEVICE float kept_within(float number, float low, float high) {
  if (!(number >= low)) return low;
  return number > high ? high : number;
}
/// The quantized value of a number in units of its scale.
ORTOOL_DEVICE int32_t code_of(float number, float low, float high, int32_t zero) {
  return static_cast<int32_t>(rintf(kept_within(number, low, high))) + zero;
}
ORTOOL_DEVICE uint8_t byte_of(float number, float low, float high, int32_t zero) {
  return static_cast<uint8_t>(code_of(number, low, high, zero));
}
/// NaN counts as 0.
ORTOOL_DEVICE float nan_as_zero(float number) {
  return number != number ? 0.0F : number;
}

ORTOOL_DEVICE float real_of_byte(const uint8_t* data, const ZeroPointList& zero, float scale,
                                 int64_t index) {
  const int32_t value = zero_point_at(data, zero.type, index);
  return rounded_product(static_cast<float>(value - zero_point_at(zero, 0)), scale);
}

}  // namespace ortool::cuda

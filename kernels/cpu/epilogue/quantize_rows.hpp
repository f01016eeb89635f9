// Quantization, dequantization and requantization of rows, a table for each instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Where quantised numbers may lie. int8 and uint8 differ in the bounds alone: bytes are the low
/// bits of the sum of a whole number and the zero point.
struct Int8Range {
  float low;  ///< the least byte less the zero point
  float high;
  int32_t zero_point;
};

/// What bytes stand for: ((byte ^ flip) - zero_point) * scale. `flip` is 0 for uint8; for int8 it
/// is 128, and the zero point 128 more than the one of the model.
struct Int8Scale {
  uint8_t flip;
  int32_t zero_point;
  float scale;
};

/// How far from a half a number may lie for its rounding to be in tie: the errors of float sums
/// stay below, and one byte in 4000 lies within.
constexpr float tie_margin = 0x1p-13F;

enum class Int8BinaryOp : int32_t { add, subtract, multiply };

/// The functions of a level. All levels give the same bits. What is written must not overlap what
/// is read, save for the very same place of equal size.
struct QuantizeFunctions {
  /// out = clamp(nearest(in / scale)) + zero point, halves to even; NaN counts as 0.
  void (*quantize)(const float* in, int64_t count, float scale, const Int8Range& range,
                   uint8_t* out);
  void (*dequantize)(const uint8_t* in, int64_t count, const Int8Scale& scale, float* out);
  /// out = clamp(nearest(float(sum + offset) * scale)) + zero point; NaN becomes the least byte.
  /// Returns whether any number, clamped, lies near a half.
  bool (*requantize)(const int32_t* sums, int64_t count, int32_t offset, float scale,
                     const Int8Range& range, uint8_t* out);
  /// The sum of byte ^ flip, modulo 2^32.
  uint32_t (*sum)(const uint8_t* in, int64_t count, uint8_t flip);
  /// sum + a[0] * b[0] + a[1] * b[1] …, in this order, each product added in one rounding.
  float (*add_products)(float sum, const float* a, const float* b, int64_t count);
  /// Lowers `low` to the least and raises `high` to the greatest of the numbers; NaN is passed
  /// over.
  void (*extremes)(const float* in, int64_t count, float* low, float* high);
  /// out = quantize(a op b) at `out_scale`; a step of 0 reads one byte for all.
  void (*binary)(Int8BinaryOp op, const uint8_t* a, int64_t a_step, const Int8Scale& a_scale,
                 const uint8_t* b, int64_t b_step, const Int8Scale& b_scale, int64_t count,
                 float out_scale, const Int8Range& range, uint8_t* out);
};

ORTOOL_ISA_KERNEL(QuantizeFunctions, quantize_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu

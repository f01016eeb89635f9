// Quantization, dequantization and requantization of rows, one table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// Range of quantized values. int8 and uint8 differ only in the bounds: stored bytes are the low 8
/// bits of the sum of an integer and the zero point.
struct Int8Range {
  float low;  ///< lowest quantized value minus the zero point
  float high;
  int32_t zero_point;
};

/// Dequantization: ((byte ^ flip) - zero_point) * scale. `flip` is 0 for uint8; for int8 it is 128,
/// and the zero point is the model's plus 128.
struct Int8Scale {
  uint8_t flip;
  int32_t zero_point;
  float scale;
};

/// Distance from a tie within which rounding is considered ambiguous: the errors of float sums stay
/// below it, and about one value in 4000 lies within.
constexpr float tie_margin = 0x1p-13F;

enum class Int8BinaryOp : int32_t { add, subtract, multiply };

/// The functions of an instruction set; bit-identical on all of them. Outputs must not overlap
/// inputs, except in place with equal element sizes.
struct QuantizeFunctions {
  /// out = clamp(nearest(in / scale)) + zero point, ties to even; NaN counts as 0.
  void (*quantize)(const float* in, int64_t count, float scale, const Int8Range& range,
                   uint8_t* out);
  void (*dequantize)(const uint8_t* in, int64_t count, const Int8Scale& scale, float* out);
  /// out = clamp(nearest(float(sum + offset) * scale)) + zero point; NaN becomes the lowest value.
  /// Returns whether any clamped value is at a rounding tie.
  bool (*requantize)(const int32_t* sums, int64_t count, int32_t offset, float scale,
                     const Int8Range& range, uint8_t* out);
  /// The sum of byte ^ flip, modulo 2^32.
  uint32_t (*sum)(const uint8_t* in, int64_t count, uint8_t flip);
  /// sum + a[0] * b[0] + a[1] * b[1] …, in this order, with fused multiply-adds.
  float (*add_products)(float sum, const float* a, const float* b, int64_t count);
  /// Updates `low` to the minimum and `high` to the maximum of the values; NaN is ignored.
  void (*extremes)(const float* in, int64_t count, float* low, float* high);
  /// out = quantize(a op b) at `out_scale`; a step of 0 broadcasts one byte.
  void (*binary)(Int8BinaryOp op, const uint8_t* a, int64_t a_step, const Int8Scale& a_scale,
                 const uint8_t* b, int64_t b_step, const Int8Scale& b_scale, int64_t count,
                 float out_scale, const Int8Range& range, uint8_t* out);
};

ORTOOL_ISA_KERNEL(QuantizeFunctions, quantize_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu

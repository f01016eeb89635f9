// Affine quantization parameters: scale and zero point for a range of real values.
#pragma once

#include <cstdint>

#include "libcore/tensor/data_type.hpp"

namespace ortool {

/// Real numbers from `low` to `high`.
struct ValueRange {
  double low = 0;
  double high = 0;

  bool operator==(const ValueRange&) const = default;
};

/// The range of integers that a quantized element may have.
struct CodeRange {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;

  bool operator==(const CodeRange&) const = default;
};

/// How the elements of one tensor are quantized.
struct QuantizationType {
  DataType type = DataType::uint8;
  /// The middle value represents zero, with equally many values on either side.
  bool is_symmetric = false;
  /// One bit less (0..127, -64..64), so that processors that add pairs of 16-bit products do not
  /// saturate. 8-bit types only.
  bool is_reduced = false;
};

/// The affine mapping: real value = scale * (quantized value - zero_point).
struct Scale {
  float scale = 1;
  std::int64_t zero_point = 0;

  bool operator==(const Scale&) const = default;
};

/// The integer range of uint8, int8, uint16, int16, uint4, int4, uint2 and int2; for symmetric
/// types only values equally far from the middle (-127..127, 1..255). Throws ErrorCode::unsupported
/// for other types, and for reduced types without 8 bits.
CodeRange code_range_of(QuantizationType type);

/// The scale that maps `range`, extended to include zero, to the type's integers such that zero is
/// exact: scale = (high - low) / (highest - lowest), zero_point = lowest - low / scale, rounded
/// half to even; symmetric types use the larger magnitude. An empty range (0, 0) has scale 1; no
/// scale is below float32's smallest normal number. Throws ErrorCode::invalid for bounds that are
/// not finite or in the wrong order.
Scale choose_scale(ValueRange range, QuantizationType type);

/// The real range from the lowest to the highest quantized value.
ValueRange representable_range(Scale scale, QuantizationType type);

/// The scale rounded to a floating-point type, never zero.
float scale_held_by(DataType type, float scale);

/// Rounds value / scale half to even and clamps to `levels`: ONNX's QuantizeLinear in float32.
/// `value` must not be NaN.
std::int64_t to_code(float value, Scale scale, CodeRange codes);

}  // namespace ortool

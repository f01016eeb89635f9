// Which scale and zero point make whole numbers of a range of real ones.
#pragma once

#include <cstdint>

#include "libcore/tensor/data_type.hpp"

namespace ortool {

/// Real numbers from `low` to `high`.
struct NumberRange {
  double low = 0;
  double high = 0;

  bool operator==(const NumberRange&) const = default;
};

/// The whole numbers that a quantised element may be.
struct Levels {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;

  bool operator==(const Levels&) const = default;
};

/// How the elements of one tensor are quantised.
struct QuantizationType {
  DataType type = DataType::uint8;
  /// The middle level stands for zero, and as many levels lie above as below.
  bool is_symmetric = false;
  /// One bit less (0..127, -64..64), so that processors which add pairs of 16-bit products do not
  /// saturate. 8-bit types only.
  bool is_reduced = false;
};

/// A real number is scale * (level - zero_point).
struct Scale {
  float scale = 1;
  std::int64_t zero_point = 0;

  bool operator==(const Scale&) const = default;
};

/// The levels of uint8, int8, uint16, int16, uint4, int4, uint2 and int2, for a symmetric type
/// those within the same distance of the middle (-127..127, 1..255). Throws ErrorCode::unsupported
/// for other types, and for reduced ones that have not 8 bits.
Levels levels_of(QuantizationType type);

/// The scale that spreads the levels over `range`, widened to hold zero, which always falls on a
/// level: scale = (high - low) / (highest - lowest), zero_point = lowest - low / scale, rounded
/// half to even; symmetric types take the larger magnitude. An empty range (0, 0) has the scale 1;
/// no scale lies below float32's smallest normal number. Throws ErrorCode::invalid for ends that
/// are not finite or stand in the wrong order.
Scale choose_scale(NumberRange range, QuantizationType type);

/// The real numbers that levels stand for, from the lowest to the highest.
NumberRange representable_range(Scale scale, QuantizationType type);

/// The scale as an element of a floating-point type holds it, never zero.
float scale_held_by(DataType type, float scale);

/// The level nearest to value / scale, half to even, within `levels`: ONNX's QuantizeLinear in
/// float32. `value` must not be NaN.
std::int64_t to_level(float value, Scale scale, Levels levels);

}  // namespace ortool

// Quantization parameters (int8 scales and zero points) in the form that kernels take.
#pragma once

#include <cstdint>

#include "kernels/cpu/epilogue/quantize_rows.hpp"
#include "libcore/optimize/precision/quantized_boundary.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// Zero point `index` of type int8 or uint8 (null: 0) for values flipped by `flip`: read with the
/// other signedness, 128 more or less.
inline std::int32_t flipped_zero(DataType type, const std::uint8_t* zeros, std::int64_t index,
                                 std::uint8_t flip) {
  const std::uint8_t byte = zeros != nullptr ? zeros[index] : std::uint8_t{0};
  const auto flipped = static_cast<std::uint8_t>(byte ^ flip);
  const bool is_signed = (type == DataType::int8) == (flip == 0);
  return is_signed ? std::int32_t{static_cast<std::int8_t>(flipped)} : std::int32_t{flipped};
}

/// The bounds of an int8 or uint8 result less its zero point.
inline Int8Range int8_range(const Int8Bounds& bounds, std::int32_t zero_point) {
  return {static_cast<float>(bounds.low - zero_point), static_cast<float>(bounds.high - zero_point),
          zero_point};
}

}  // namespace ortool::cpu

// Dispatch by floating-point type, float8 included, for code that looks at bits only.
#pragma once

#include <cstdint>

#include "kernels/cpu/types/fp16_bits.hpp"
#include "providers/cpu/support/accepts.hpp"

namespace ortool::cpu {

/// Calls function(T{}) for the C++ type of a floating-point type; uint8_t for the 8-bit types.
template <typename Function>
void with_float_bits(DataType type, Function function) {
  switch (type) {
    case DataType::float32:
      return function(float{});
    case DataType::float64:
      return function(double{});
    case DataType::float16:
      return function(Float16Bits{});
    case DataType::bfloat16:
      return function(BFloat16Bits{});
    default:
      return function(std::uint8_t{});
  }
}

constexpr const char* float_or_float8_names = "float32, float64, float16, bfloat16, float8";

inline bool accepts_float_or_float8(const NodeView& view) {
  constexpr TypeSet float8 = types_of({DataType::float8e4m3fn, DataType::float8e4m3fnuz,
                                       DataType::float8e5m2, DataType::float8e5m2fnuz});
  return accepts_floats(view) || float8.contains(view.input_type(0));
}

}  // namespace ortool::cpu

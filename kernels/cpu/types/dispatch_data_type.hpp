// Dispatch by element type: from a run-time DataType to a C++ type.
#pragma once

#include <cstdint>

#include "kernels/cpu/types/fp16_bits.hpp"
#include "libcore/base/error.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// Calls function(T{}) for the C++ type of `type`: float, double, integers of 8 to 64 bits, bool,
/// Float16Bits, BFloat16Bits. Any other type is a programming error.
template <typename Function>
decltype(auto) dispatch_data_type(DataType type, Function&& function) {
  switch (type) {
    case DataType::float32:
      return function(float{});
    case DataType::float64:
      return function(double{});
    case DataType::float16:
      return function(Float16Bits{});
    case DataType::bfloat16:
      return function(BFloat16Bits{});
    case DataType::boolean:
      return function(bool{});
    case DataType::int8:
      return function(std::int8_t{});
    case DataType::int16:
      return function(std::int16_t{});
    case DataType::int32:
      return function(std::int32_t{});
    case DataType::int64:
      return function(std::int64_t{});
    case DataType::uint8:
      return function(std::uint8_t{});
    case DataType::uint16:
      return function(std::uint16_t{});
    case DataType::uint32:
      return function(std::uint32_t{});
    case DataType::uint64:
      return function(std::uint64_t{});
    default:
      ORTOOL_CHECK(false && "no C++ type for this element type");
  }
}

}  // namespace ortool::cpu

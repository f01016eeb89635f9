// Dispatch by element size: from a run-time size in bytes to a type of that size, for copies.
#pragma once

#include <cstdint>

#include "libcore/base/error.hpp"

namespace ortool::cpu {

struct Uint64x2 {
  std::uint64_t words[2];
};

/// Calls function(T{}) for a T of `bytes`: 1, 2, 4, 8 or 16.
template <typename Function>
decltype(auto) dispatch_element_size(std::int64_t bytes, Function&& function) {
  switch (bytes) {
    case 1:
      return function(std::uint8_t{});
    case 2:
      return function(std::uint16_t{});
    case 4:
      return function(std::uint32_t{});
    case 8:
      return function(std::uint64_t{});
    default:
      ORTOOL_CHECK(bytes == 16);
      return function(Uint64x2{});
  }
}

}  // namespace ortool::cpu

// Floor division: integer arithmetic that rounds toward minus infinity.
#pragma once

#include <cstdint>

namespace ortool {

inline std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const bool rounds_up = a % b != 0 && (a % b < 0) != (b < 0);
  return a / b - (rounds_up ? 1 : 0);
}

}  // namespace ortool

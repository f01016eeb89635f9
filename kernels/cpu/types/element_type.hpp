// Element types for instruction-set loops, which must not include libcore's headers.
#pragma once

namespace ortool::cpu {

enum class NumberType : int {
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
};

}  // namespace ortool::cpu

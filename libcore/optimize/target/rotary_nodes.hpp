// Rotary position embedding in slices and products, for operators that ONNX has no form of.
#pragma once

#include <cstdint>

#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {

/// Cosines and sines that broadcast to the first elements of heads.
struct RotaryAngles {
  Value* cosines = nullptr;
  Value* sines = nullptr;
  std::int64_t pairs = 0;       ///< their last axis
  bool is_interleaved = false;  ///< pairs are adjacent elements, not half of what is rotated apart
};

/// The heads in `x`, of rank 4 with their elements last; `size` is the size of a head, or -1.
Value& rotated_heads(Decomposition& out, Value& x, const RotaryAngles& angles, std::int64_t size);

}  // namespace ortool

// Size breakdown of a model's tensors: quantized weights, floats, and the rest.
#pragma once

#include <cstdint>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Sizes in bytes of a model's tensors.
struct StoredBytes {
  std::int64_t floats = 0;
  std::int64_t quantized = 0;  ///< 8 bits or fewer per element
  std::int64_t others = 0;     ///< int32 biases, shapes, indices

  std::int64_t total() const { return floats + quantized + others; }
};

StoredBytes stored_bytes(const Model& model);

}  // namespace ortool

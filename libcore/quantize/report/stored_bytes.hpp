// Size breakdown of a model's tensors: quantized weights, floats, and the rest.
#pragma once

#include <cstdint>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Bytes of a model's tensors.
struct StoredBytes {
  std::int64_t floats = 0;
  std::int64_t levels = 0;  ///< 8 bits or fewer an element
  std::int64_t others = 0;  ///< biases in units, shapes, indices

  std::int64_t total() const { return floats + levels + others; }
};

StoredBytes stored_bytes(const Model& model);

}  // namespace ortool

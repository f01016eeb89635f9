// Rotary position embedding (RoPE): rotates pairs of elements by position-dependent angles.
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct RotarySizes {
  std::int64_t batch = 0;
  std::int64_t heads = 0;
  std::int64_t length = 0;
  std::int64_t size = 0;     ///< of a head
  std::int64_t rotated = 0;  ///< leading elements that are rotated; even
  bool is_packed = false;    ///< batch × length × heads × size rather than heads before length
  bool is_interleaved = false;
};

/// Rows of rotated / 2 cosines and sines. Token i of a batch uses row positions[batch · length + i]
/// or, without positions, row batch · batch_rows + i · length_rows.
struct RotaryAngles {
  const float* cosines = nullptr;
  const float* sines = nullptr;
  const std::int64_t* positions = nullptr;
  std::int64_t rows = 0;  ///< valid positions are below this
  std::int64_t batch_rows = 0;
  std::int64_t length_rows = 1;
};

/// `out` may be `in`. Throws ErrorCode::invalid for a position outside the rows; negative positions
/// count from the end. Elements are independent: results do not depend on the number of threads.
void rotary_embedding(const float* in, const RotaryAngles& angles, float* out,
                      const RotarySizes& sizes, Workers& workers, Isa isa);

}  // namespace ortool::cpu

// Rotary embedding: pairs of elements of each head rotated by the angle of their position.
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
  std::int64_t rotated = 0;  ///< its first elements that turn, an even number
  bool is_packed = false;    ///< batch × length × heads × size rather than heads before length
  bool are_neighbours = false;
};

/// Rows of rotated / 2 cosines and sines. Row i of a batch is row positions[batch · length + i], or
/// without positions row batch · batch_rows + i · length_rows.
struct RotaryAngles {
  const float* cosines = nullptr;
  const float* sines = nullptr;
  const std::int64_t* positions = nullptr;
  std::int64_t rows = 0;  ///< that positions may name
  std::int64_t batch_rows = 0;
  std::int64_t length_rows = 1;
};

/// `out` may be `in`. Throws ErrorCode::invalid for a position outside the rows; negative ones
/// count from their end. Each element is computed alone: the bits do not depend on threads.
void rotary_embedding(const float* in, const RotaryAngles& angles, float* out,
                      const RotarySizes& sizes, Workers& workers, Isa isa);

}  // namespace ortool::cpu

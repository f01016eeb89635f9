// Attention head preparation: a bias, RMS normalization and rotary embedding of the rows of heads.
#pragma once

#include <cstdint>

#include "kernels/cpu/attention/attention_params.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

struct HeadSizes {
  std::int64_t batch = 0;
  std::int64_t heads = 0;
  std::int64_t length = 0;
  std::int64_t size = 0;

  std::int64_t count() const { return batch * heads * length * size; }
  /// Rows of a tensor batch × length × heads × size.
  template <typename Pointer>
  HeadRows<Pointer> packed(Pointer data) const {
    return {data, length * heads * size, size, heads * size};
  }
  /// Rows of a tensor batch × heads × length × size.
  template <typename Pointer>
  HeadRows<Pointer> split(Pointer data) const {
    return {data, heads * length * size, length * size, size};
  }
};

/// The steps, in this order; those whose pointer is null are left out.
struct HeadSteps {
  const float* bias = nullptr;  ///< heads × size
  const float* norm = nullptr;  ///< size: weights of an RMS normalization of each head
  float epsilon = 0;
  const float* cosines = nullptr;  ///< rows of `pairs`
  const float* sines = nullptr;
  const std::int64_t* angle_rows = nullptr;  ///< batch × length: the row of each token's angles
  std::int64_t pairs = 0;
  bool is_interleaved = false;

  bool is_empty() const { return bias == nullptr && norm == nullptr && cosines == nullptr; }
};

/// Writes batch × length × heads × size. Tokens are independent: results do not depend on the
/// number of threads.
void prepare_heads(const HeadSizes& sizes, const HeadRows<const float*>& in, const HeadSteps& steps,
                   float* out, Workers& workers, Isa isa);

}  // namespace ortool::cpu

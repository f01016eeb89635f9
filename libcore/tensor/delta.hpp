// How far a tensor moved from what it was.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/base/stop_token.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Over the pairs of finite elements, in double.
struct TensorDelta {
  std::int64_t count = 0;
  std::int64_t changed = 0;  ///< elements that are not the same number
  double max_abs = 0;
  double mean_abs = 0;
  double relative = 0;  ///< length of the difference by the length of `before`
  double cosine = 1;
  double sqnr_db = 0;  ///< infinite when no number changed
};

/// Whether type, shape and every bit are the same. Reads both in order, a block at a time.
bool is_same_tensor(const Tensor& before, const Tensor& after, const StopToken* stop = nullptr);

/// Nothing where differences mean nothing: other shapes, strings, complex numbers, and integers
/// against floats. Reads a block at a time.
std::optional<TensorDelta> delta_of(const Tensor& before, const Tensor& after,
                                    const StopToken* stop = nullptr);

}  // namespace ortool

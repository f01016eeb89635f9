// The difference between two versions of a tensor.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/base/stop_token.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Over the pairs of finite elements, in double.
struct TensorDelta {
  std::int64_t count = 0;
  std::int64_t changed = 0;  ///< number of elements with different values
  double max_abs = 0;
  double mean_abs = 0;
  double relative = 0;  ///< norm of the difference divided by the norm of `before`
  double cosine = 1;
  double sqnr_db = 0;  ///< infinite when no value changed
};

/// Whether type, shape and all bits are equal. Reads both in order, one block at a time.
bool is_same_tensor(const Tensor& before, const Tensor& after, const StopToken* stop = nullptr);

/// Nothing where a difference is undefined: other shapes, strings, complex numbers, and integers
/// against floats. Reads one block at a time.
std::optional<TensorDelta> delta_of(const Tensor& before, const Tensor& after,
                                    const StopToken* stop = nullptr);

}  // namespace ortool

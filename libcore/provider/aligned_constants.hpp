// Aligned copies of constants during kernel compilation, so that no weight stays in memory twice.
#pragma once

#include <utility>
#include <vector>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Constants may be unaligned in the file, but kernels require alignment to the element size. Gives
/// the constants among `inputs` (null ones are skipped) aligned copies where necessary.
class AlignedConstants {
 public:
  explicit AlignedConstants(const std::vector<Value*>& inputs);

  /// Restores the original memory of `value`, once a kernel has packed it and it has no other
  /// consumers.
  void restore(Value& value) const;
  void restore_all() const;
  /// The original, possibly unaligned, tensor of `value`, a constant.
  const Tensor& original(const Value& value) const;

 private:
  std::vector<std::pair<Value*, Tensor>> originals_;
};

}  // namespace ortool

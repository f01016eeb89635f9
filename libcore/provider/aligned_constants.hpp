// Constants aligned for as long as a kernel is compiled, so that no weight stays in memory twice.
#pragma once

#include <utility>
#include <vector>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Constants lie in the file as they come; kernels want them aligned to their element. Gives the
/// constants among `inputs` (null ones are left out) aligned copies where they need one.
class AlignedConstants {
 public:
  explicit AlignedConstants(const std::vector<Value*>& inputs);

  /// Gives `value` its own bytes back, once a kernel has packed it and nothing else reads it.
  void restore(Value& value) const;
  void restore_all() const;
  /// The bytes of its own of `value`, a constant.
  const Tensor& original(const Value& value) const;

 private:
  std::vector<std::pair<Value*, Tensor>> originals_;
};

}  // namespace ortool

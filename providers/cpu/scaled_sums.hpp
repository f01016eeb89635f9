// The nodes behind an integer product that make its sums floats: a Cast, and a product with scales.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/runtime/node_view.hpp"

namespace ortool::cpu {

/// What the followers of a product of matrices make of its sums.
struct ScaledSums {
  bool is_float = false;    ///< a Cast to float32
  std::int64_t scale = -1;  ///< the group's input of factors, one for all or one a column; -1: none
};

/// Reads the followers of a group; nothing when one of them cannot be computed so.
std::optional<ScaledSums> read_scaled_sums(const NodeView& group);

/// Whether `next` can be a follower of the group: a KernelRow's `absorbs`.
bool absorbs_scaled_sums(const NodeView& group, const Node& next);

}  // namespace ortool::cpu

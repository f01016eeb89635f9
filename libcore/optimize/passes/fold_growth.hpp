// What folding would add to a file, told from the file alone, so that a second run decides alike.
#pragma once

#include <cstdint>
#include <functional>

#include "libcore/graph/model.hpp"

namespace ortool {

/// A node that adds no more than this beyond the constants that go away for it is always folded.
inline constexpr std::int64_t small_growth_bytes = 1024;

/// What larger results may add together, in bytes: 4 MiB, or a quarter of the model's constants
/// where that is more.
std::int64_t most_growth_bytes(const Model& model);

/// By how many bytes the constants of the main graph and those inside it grow when all nodes that
/// need nothing but constants, through other such nodes too, become constants; less than zero where
/// they shrink. `may_fold` tells of a node whether it may, whatever it reads. Results whose sizes
/// inference does not know count as nothing.
std::int64_t fold_growth(const Model& model, const std::function<bool(const Node&)>& may_fold);

}  // namespace ortool

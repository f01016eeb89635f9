// Growth limits of constant folding, derived from the file alone, so that a second run decides
// alike.
#pragma once

#include <cstdint>
#include <functional>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Nodes that add no more than this, net of constants they replace, are always folded.
inline constexpr std::int64_t small_growth_bytes = 1024;

/// The limit for all larger results together, in bytes: 4 MiB, or a quarter of the model's
/// constants if that is more.
std::int64_t max_growth_bytes(const Model& model);

/// The growth in bytes of the constants of the main graph and its subgraphs if all nodes that
/// depend on constants only, also transitively, were folded; negative when they shrink. `may_fold`
/// says whether a node may be folded whatever its inputs. Results of unknown size count as nothing.
std::int64_t fold_growth(const Model& model, const std::function<bool(const Node&)>& may_fold);

}  // namespace ortool

// Near misses of rules: partial pattern matches that explain why something was not fused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/optimize/pipeline.hpp"

namespace ortool {

struct ClosestMatch {
  std::string_view rule;
  std::string node;                ///< the last node of the pattern
  std::vector<std::string> nodes;  ///< those that match, the last one first
  std::int64_t expected = 0;       ///< the minimum number of nodes in the pattern
  std::string reason;              ///< which node or value differs from the pattern
};

/// For each rule selected by `options`, the place in the model where its pattern matches best
/// without matching completely, if at least two nodes and half of the pattern match. Ordered by the
/// matched share, at most `most`. The types of the model's values must be known. Rule names in the
/// result are those passed in, and must outlive it.
std::vector<ClosestMatch> closest_matches(const Model& model, std::span<const RuleGroup> groups,
                                          const RewriteOptions& options, std::size_t most = 10);

}  // namespace ortool

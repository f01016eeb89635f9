// Where the patterns of rules were found in part, for whoever asks why something was not fused.
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
  std::string node;                ///< the end of it
  std::vector<std::string> nodes;  ///< those that fit, the end first
  std::int64_t expected = 0;       ///< how many nodes the pattern has at least
  std::string reason;              ///< which node or value stands where something else is expected
};

/// For each rule that `options` chooses, the place of the model where most of its pattern was found
/// but not all of it, where that is two nodes and half of the pattern at least. Ordered by how much
/// of the pattern was found, no more than `most`. The types of the model's values must be known.
/// The names of rules outlive the result if they outlive the call.
std::vector<ClosestMatch> closest_matches(const Model& model, std::span<const RuleGroup> groups,
                                          const RewriteOptions& options, std::size_t most = 10);

}  // namespace ortool

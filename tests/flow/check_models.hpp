// Checks random models with control flow in sessions at every level.
#pragma once

#include <cstdint>
#include <string>

namespace ortool::test {

struct CheckOptions {
  int count = 0;
  std::uint64_t seed = 1;
  std::string testdata;
  /// Where models are written as files, with inputs and outputs beside them; empty: nowhere.
  std::string folder;
};

/// Runs `count` models from `seed` on node by node, then at each level, with nodes side by side,
/// and from files that were optimized: the outputs must agree, at the basic level to the bit.
/// Prints the seed and text of each model that fails, and what all models held; returns how many
/// failed.
int check_flow_models(const CheckOptions& options);

}  // namespace ortool::test

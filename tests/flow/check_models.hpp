// Checks random control-flow models in sessions at every optimization level.
#pragma once

#include <cstdint>
#include <string>

namespace ortool::test {

struct CheckOptions {
  int count = 0;
  std::uint64_t seed = 1;
  std::string testdata;
  /// Where to write the models with their inputs and outputs; empty: nowhere.
  std::string folder;
};

/// Runs `count` models starting at seed `seed`: node by node, then at each level, with nodes in
/// parallel, and from optimized files. Outputs must agree, bit for bit at the basic level. Prints
/// the seed and text of each failing model and what all models contained; returns the number of
/// failures.
int check_flow_models(const CheckOptions& options);

}  // namespace ortool::test

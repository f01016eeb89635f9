// Graphs made up of what rules look for, in any order.
#pragma once

#include <cstdint>
#include <string>

namespace ortool::test {

/// A graph of some dozen nodes over small tensors of float32, as text, the same for the same seed;
/// opset 18 fits it. A dimension may be the symbol N, which stands for 3. Numbers stay small.
std::string random_graph(std::uint64_t seed);

/// Optimizes `count` random graphs, from `seed` on: at the basic level to the same bits, at the
/// extended level for a file, and inside a session, to the same numbers. Prints the seed of each
/// that fails, and returns how many did.
int run_random_graphs(std::uint64_t seed, int count);

}  // namespace ortool::test

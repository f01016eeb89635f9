// Random graphs of patterns that rules match, in any order.
#pragma once

#include <cstdint>
#include <string>

namespace ortool::test {

/// The text of a graph of a few dozen nodes on small float32 tensors, deterministic for the seed
/// and valid at opset 18. A dimension may be the symbol N, which stands for 3. Values stay small.
std::string random_graph(std::uint64_t seed);

/// Optimizes `count` random graphs starting at `seed`. The basic level must give the same bits; the
/// extended level for a file, and a session, the same values within a tolerance. Prints the seed of
/// each failure and returns their number.
int run_random_graphs(std::uint64_t seed, int count);

}  // namespace ortool::test

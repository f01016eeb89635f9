// In which order products are put right one after the other, so that none is blamed for what
// another did.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// Products, given by the names of what they make, in groups of which no product reads, however
/// indirectly, what another of its group makes. The last group are those behind which there is
/// none; before it come at most `most_before` groups, each all products of one depth (products on
/// the longest way from the inputs), at depths spread evenly, the greatest among them. What is at
/// other depths is left out. Indices into `products`; no group is empty. Products that the graph,
/// and the graphs inside it, do not make are left out.
std::vector<std::vector<std::size_t>> product_steps(const Graph& graph,
                                                    const std::vector<std::string>& products,
                                                    std::size_t most_before);

}  // namespace ortool

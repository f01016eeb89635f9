// Schedules bias correction by depth, so that no layer's error is attributed twice.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "libcore/graph/node.hpp"

namespace ortool {

/// Partitions products, given by their output names, into groups in which no product depends on
/// another, directly or indirectly. The last group holds those without later products; it is
/// preceded by at most `max_before` groups, each with all products of one depth (the number of
/// products on the longest path from the inputs), at evenly spaced depths including the greatest.
/// Products at other depths are omitted. Returns indices into `products`; no group is empty.
/// Products that the graph and its subgraphs do not compute are left out.
std::vector<std::vector<std::size_t>> product_steps(const Graph& graph,
                                                    const std::vector<std::string>& products,
                                                    std::size_t max_before);

}  // namespace ortool

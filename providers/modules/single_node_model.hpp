// Single-node model: a node as a model of its own, which shows whether a library takes it.
#pragma once

#include <cstdint>
#include <memory>

#include "libcore/graph/model.hpp"

namespace ortool::modules {

/// Larger constants become inputs.
inline constexpr std::int64_t max_kept_constant = 1024;

/// The node with its attributes, constants and types, as the main graph of a model.
std::unique_ptr<Model> single_node_model(const Node& node);

}  // namespace ortool::modules

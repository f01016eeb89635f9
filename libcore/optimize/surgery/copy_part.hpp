// Subgraph extraction as a standalone model.
#pragma once

#include <memory>
#include <span>
#include <unordered_set>

#include "libcore/graph/model.hpp"

namespace ortool {

/// A model with the opsets and metadata of `model`, whose functions it takes over. Its main graph
/// holds `nodes` of the original main graph in order, with the constants they read. `inputs` and
/// `outputs` are values of that graph; the copies keep names and types. Everything that `nodes`
/// read must be produced by them, be among `inputs`, or constant. Constants share memory.
std::unique_ptr<Model> copy_part(Model& model, const std::unordered_set<const Node*>& nodes,
                                 std::span<Value* const> inputs, std::span<Value* const> outputs);

}  // namespace ortool

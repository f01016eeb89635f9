// A part of a graph as a model of its own.
#pragma once

#include <memory>
#include <span>
#include <unordered_set>

#include "libcore/graph/model.hpp"

namespace ortool {

/// A model of the opsets and texts of `model`, whose functions it takes over. Its main graph holds
/// `nodes` of the other main graph in their order, with the constants they read. `inputs` and
/// `outputs` are values of that graph; the copies have their names and types. What `nodes` read
/// must be made by them, be among `inputs`, or constant. Constants share their bytes.
std::unique_ptr<Model> copy_part(Model& model, const std::unordered_set<const Node*>& nodes,
                                 std::span<Value* const> inputs, std::span<Value* const> outputs);

}  // namespace ortool

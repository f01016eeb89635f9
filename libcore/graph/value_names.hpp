// Names of graph inputs and outputs, and the symbols in their shapes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

std::vector<std::string> names_of(std::span<Value* const> values);

/// The symbols in the shapes of the model's inputs, in order of first occurrence.
std::vector<std::string> input_symbols(const Model& model);
std::vector<std::string> input_symbols(std::span<Value* const> inputs);

}  // namespace ortool

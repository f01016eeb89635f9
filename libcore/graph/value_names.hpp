// Names of graph inputs and outputs, and the symbols in their shapes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/strings/named_value.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

std::vector<std::string> names_of(std::span<Value* const> values);

/// The names of inputs without a default.
std::vector<std::string> required_names(std::span<Value* const> inputs);

/// Splits INPUT=VALUE like split_named_value(). Errors list the inputs without a default only,
/// since old exporters make all weights inputs.
NamedValue split_input_value(std::string_view option, std::string_view text,
                             std::span<Value* const> inputs);

/// The symbols in the shapes of the model's inputs, in order of first occurrence.
std::vector<std::string> input_symbols(const Model& model);
std::vector<std::string> input_symbols(std::span<Value* const> inputs);

}  // namespace ortool

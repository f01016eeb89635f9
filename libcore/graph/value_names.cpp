// Collects names and symbols of graph inputs and outputs.
#include "libcore/graph/value_names.hpp"

#include <algorithm>

#include "libcore/graph/graph.hpp"

namespace ortool {

std::vector<std::string> names_of(std::span<Value* const> values) {
  std::vector<std::string> names;
  for (const Value* value : values) names.emplace_back(value->name());
  return names;
}

std::vector<std::string> required_names(std::span<Value* const> inputs) {
  std::vector<std::string> names;
  for (const Value* input : inputs) {
    if (!input->has_default()) names.emplace_back(input->name());
  }
  return names;
}

NamedValue split_input_value(std::string_view option, std::string_view text,
                             std::span<Value* const> inputs) {
  const bool has_default = std::any_of(inputs.begin(), inputs.end(), [&](const Value* input) {
    const std::string_view name = input->name();
    return input->has_default() && text.starts_with(name) && name.size() < text.size() &&
           (text[name.size()] == '=' || text[name.size()] == ':');
  });
  const std::vector<std::string> required = required_names(inputs);
  const bool are_all = has_default || required.empty();
  return split_named_value(option, text, are_all ? names_of(inputs) : required, "input", "inputs");
}

std::vector<std::string> input_symbols(const Model& model) {
  return input_symbols(model.inputs());
}

std::vector<std::string> input_symbols(std::span<Value* const> inputs) {
  std::vector<std::string> symbols;
  for (const Value* input : inputs) {
    if (!input->type().shape) continue;
    for (const Dimension& dimension : *input->type().shape) {
      const bool is_new = dimension.is_symbol() && std::find(symbols.begin(), symbols.end(),
                                                             dimension.symbol()) == symbols.end();
      if (is_new) symbols.push_back(dimension.symbol());
    }
  }
  return symbols;
}

}  // namespace ortool

// Inputs of rule cases: floats between -2 and 2, zeros and ones for other types.
#include "tests/rules/made_inputs.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool::test {
namespace {

constexpr std::int64_t first_symbol_size = 3;

/// A tensor for an input, deterministic for its name; each symbol has its own size.
Tensor make_input(const Value& input, std::map<std::string, std::int64_t>& symbols) {
  std::vector<std::int64_t> sizes;
  for (const Dimension& dimension : *input.type().shape) {
    if (dimension.is_known()) {
      sizes.push_back(dimension.number());
      continue;
    }
    const auto next = first_symbol_size + static_cast<std::int64_t>(symbols.size());
    sizes.push_back(symbols.emplace(dimension.to_string(), next).first->second);
  }
  Tensor tensor(input.type().element, Shape(sizes));
  std::uint64_t state = std::hash<std::string_view>()(input.name());
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const double fraction = static_cast<double>(state >> 11) * 0x1p-53;
    if (is_floating_point(tensor.type())) {
      set_element(tensor, i, 4 * fraction - 2);
    } else {
      set_element(tensor, i, static_cast<std::int64_t>(fraction * 2));
    }
  }
  return tensor;
}

}  // namespace

NamedValues make_inputs(const Graph& graph) {
  std::map<std::string, std::int64_t> symbols;
  NamedValues inputs;
  for (const Value* input : graph.inputs())
    inputs.emplace_back(std::string(input->name()), make_input(*input, symbols));
  return inputs;
}

}  // namespace ortool::test

// Schema of Gradient, and the check that the values it names exist.
#include "libcore/ops/training/gradient.hpp"

#include <set>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {

namespace {

/// Whether the name is a value of the graph or of an enclosing one.
bool is_value_of(const Graph& graph, std::string_view name) {
  const Graph* inside = &graph;
  while (inside != nullptr) {
    if (inside->find_value(name) != nullptr) return true;
    inside = inside->owner() != nullptr ? &inside->owner()->graph() : nullptr;
  }
  return false;
}

}  // namespace

constinit const OpSchema Gradient::schema = {
    "Gradient",
    "ai.onnx.preview.training",
    {{.since = 1,
      .inputs = {{"Inputs", "T1", Formal::Count::variadic, 1, false}},
      .outputs = {{"Outputs", "T2", Formal::Count::variadic, 1, false}},
      .attributes = {{"xs", AttributeKind::strings, true},
                     {"y", AttributeKind::string, true},
                     {"zs", AttributeKind::strings}},
      .types = {{"T1", types::all_tensors}, {"T2", types::high_floats}}}}};

void Gradient::read(AttributeReader& attributes, int) {
  xs = attributes.find_strings("xs").value_or(std::vector<std::string>());
  zs = attributes.find_strings("zs").value_or(std::vector<std::string>());
  y = attributes.string("y");
  const Node& node = attributes.node();
  const auto inputs = static_cast<std::int64_t>(xs.size() + zs.size());
  if (xs.empty() || node.input_count() != inputs ||
      node.output_count() > static_cast<std::int64_t>(xs.size())) {
    throw Error(ErrorCode::invalid,
                format("there are {} inputs and {} outputs for {} names in 'xs' and {} in 'zs' "
                       "(expected one input per name, and one output per name in 'xs')",
                       node.input_count(), node.output_count(), xs.size(), zs.size()))
        .with_id("node.arity");
  }
  std::set<std::string_view> seen = {y};
  std::vector<std::string_view> names = {y};
  names.insert(names.end(), xs.begin(), xs.end());
  names.insert(names.end(), zs.begin(), zs.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0 && !seen.insert(names[i]).second) {
      throw Error(ErrorCode::invalid,
                  format("the value {} is named twice in 'xs', 'zs' and 'y'", quote(names[i])));
    }
    if (!is_value_of(node.graph(), names[i])) {
      throw Error(ErrorCode::invalid,
                  format("the graph has no value {}, which '{}' names", quote(names[i]),
                         i == 0           ? "y"
                         : i <= xs.size() ? "xs"
                                          : "zs"));
    }
  }
}

void Gradient::infer(InferContext& context) const {
  for (std::int64_t i = 0; i < context.output_count(); ++i)
    context.set_output(i, context.element(i), context.shape(i));
}

}  // namespace ortool

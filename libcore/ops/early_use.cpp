// Attribute values that are accepted before their opset, and the early forms of schemas
// (OpSchema::early).
#include "libcore/ops/early_use.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <variant>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

struct LaterValue {
  std::string_view op_type;
  std::string_view attribute;
  std::string_view value;
  std::int64_t since;
};

// ONNX Runtime 1.31 was observed to accept each of these at every opset that has the attribute.
constexpr LaterValue later_values[] = {
    {"Pad", "mode", "wrap", 19},
    {"Resize", "coordinate_transformation_mode", "half_pixel_symmetric", 19},
    {"Resize", "mode", "cubic", 11},
    {"ScatterElements", "reduction", "max", 18},
    {"ScatterElements", "reduction", "min", 18},
    {"ScatterND", "reduction", "max", 18},
    {"ScatterND", "reduction", "min", 18},
    // Resize replaced Upsample.
    {"Upsample", "mode", "cubic", 11},
};

template <typename Body>
void each_early_use(const Model& model, Body body) {
  for (const Graph* graph : graphs_in(model)) {
    for (const Node& node : graph->nodes()) {
      if (const auto found = early_use(node)) body(node, *found);
    }
  }
}

}  // namespace

std::string EarlyUse::describe() const {
  return since == 0
             ? format("{} is not a value that ONNX defines", what)
             : format("{} was introduced in opset {} (the model has {})", what, since, opset);
}

std::optional<EarlyUse> early_use(const Node& node) {
  if (!node.domain().empty()) return std::nullopt;
  const std::int64_t opset = node.graph().opset("");
  const OpEntry* entry = find_op("", node.op_type());
  if (entry == nullptr) return std::nullopt;
  if (entry->schema->is_early_at(opset)) {
    const auto& versions = entry->schema->versions;
    return EarlyUse{.what = format("operator {}", node.op_type()),
                    .since = versions.size() == 0 ? 0 : versions.begin()->since,
                    .opset = opset,
                    .is_operator = true};
  }
  for (const LaterValue& each : later_values) {
    if (node.op_type() != each.op_type || opset >= each.since) continue;
    const Attribute* attribute = node.find_attribute(each.attribute);
    const auto* text = attribute != nullptr ? std::get_if<std::string>(&attribute->value) : nullptr;
    if (text == nullptr || *text != each.value) continue;
    return EarlyUse{
        .what = format("{} '{}'", each.attribute, each.value), .since = each.since, .opset = opset};
  }
  return std::nullopt;
}

std::int64_t opset_of_early_uses(const Model& model) {
  std::int64_t opset = 0;
  each_early_use(model,
                 [&](const Node&, const EarlyUse& use) { opset = std::max(opset, use.since); });
  return opset;
}

std::vector<std::string> early_use_warnings(const Model& model) {
  struct Place {
    std::string first;  ///< the node and the description of its use
    std::int64_t others = 0;
  };
  std::map<std::string, Place> places;
  each_early_use(model, [&](const Node& node, const EarlyUse& use) {
    const auto [place, is_new] = places.try_emplace(use.what);
    if (!is_new) {
      ++place->second.others;
      return;
    }
    place->second.first =
        format("node '{}' ({}): {}", escape_control_characters(std::string(node.name())),
               escape_control_characters(std::string(node.op_type())), use.describe());
  });
  std::vector<std::string> warnings;
  for (const auto& [what, place] : places) {
    const std::string others = place.others > 0 ? format(", and {} more nodes", place.others) : "";
    warnings.push_back(format("{}{}; handled as in ONNX Runtime", place.first, others));
  }
  return warnings;
}

}  // namespace ortool

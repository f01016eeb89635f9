// Propagates 16-bit precision in node order; a node with subgraphs counts as a whole.
#include "libcore/inspect/fp16_outputs.hpp"

#include <algorithm>
#include <unordered_set>

#include "libcore/graph/algorithms/captured.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

bool is_fp16(DataType type) {
  return type == DataType::float16 || type == DataType::bfloat16;
}

bool is_fp16(const Value& value) {
  return value.is_constant() ? is_fp16(value.constant().type())
                             : value.type().is_tensor() && is_fp16(value.type().element);
}

bool casts_to_fp16(const Node& node) {
  if (node.op_type() != "Cast") return false;
  const Attribute* to = node.find_attribute("to");
  const auto* number = to != nullptr ? std::get_if<std::int64_t>(&to->value) : nullptr;
  return number != nullptr && is_fp16(static_cast<DataType>(*number));
}

bool has_cast_to_fp16(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (casts_to_fp16(node)) return true;
  }
  return false;
}

class Fp16Walk {
 public:
  explicit Fp16Walk(const Model& model) : model_(model) {}

  void walk(const Graph& graph) {
    for (const Node& node : graph.nodes()) visit(node);
  }

  bool is_rounded(const Value& value) const { return rounded_.contains(&captured_root(value)); }

 private:
  void visit(const Node& node) {
    bool is_fixed = true;
    bool reads_rounded = false;
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      const Value* input = node.input(i);
      if (input == nullptr) continue;
      const Value& origin = captured_root(*input);
      is_fixed = is_fixed && (origin.is_constant() || fixed_.contains(&origin));
      reads_rounded = reads_rounded || rounded_.contains(&origin);
    }
    for (const Graph* body : node.subgraphs()) {
      is_fixed = false;
      if (reads_rounded) rounded_.insert(body->inputs().begin(), body->inputs().end());
      walk(*body);
      reads_rounded = reads_rounded || has_rounded(*body);
    }
    const bool has_size_only = node.op_type() == "Shape" || node.op_type() == "Size";
    const bool makes_rounded = (reads_rounded && !has_size_only) || calls_fp16(node);
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      const Value* output = node.output(i);
      if (output == nullptr) continue;
      if (is_fixed) {
        fixed_.insert(output);
      } else if (makes_rounded || is_fp16(*output)) {
        rounded_.insert(output);
      }
    }
  }

  bool has_rounded(const Graph& body) const {
    return std::any_of(body.outputs().begin(), body.outputs().end(),
                       [&](const Value* output) { return is_rounded(*output); });
  }

  bool calls_fp16(const Node& node) const {
    return std::any_of(model_.functions.begin(), model_.functions.end(), [&](const auto& function) {
      return function.name == node.op_type() && function.domain == node.domain() &&
             has_cast_to_fp16(*function.body);
    });
  }

  const Model& model_;
  std::unordered_set<const Value*> fixed_;    ///< depend on constants only
  std::unordered_set<const Value*> rounded_;  ///< depend on values computed in 16 bits
};

}  // namespace

bool has_fp16(const Model& model) {
  for (const Graph* graph : graphs_in(model)) {
    const auto values = graph->values();
    if (std::any_of(values.begin(), values.end(), [](const Value* each) { return is_fp16(*each); }))
      return true;
    if (has_cast_to_fp16(*graph)) return true;
  }
  return false;
}

std::set<std::string, std::less<>> fp16_outputs(const Model& model) {
  Fp16Walk walk(model);
  walk.walk(*model.graph);
  std::set<std::string, std::less<>> names;
  for (const Value* output : model.outputs()) {
    const bool has_wide_type = !output->type().is_tensor() ||
                               output->type().element == DataType::float32 ||
                               output->type().element == DataType::float64;
    if (has_wide_type && walk.is_rounded(*output)) names.emplace(output->name());
  }
  return names;
}

}  // namespace ortool

// Growth of constant folding: one pass that tracks the remaining consumers of each value.
#include "libcore/optimize/passes/fold_growth.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"

namespace ortool {
namespace {

constexpr std::int64_t min_growth_bytes = std::int64_t{4} << 20;
constexpr std::int64_t growth_divisor = 4;
/// Larger tensors count as this many elements, so that sums cannot overflow.
constexpr std::int64_t max_counted_elements = std::int64_t{1} << 40;

std::int64_t known_bytes(const ValueType& type) {
  if (!type.is_tensor() || !type.shape || type.element == DataType::undefined) return 0;
  std::int64_t count = 1;
  for (const Dimension& dimension : *type.shape) {
    if (!dimension.is_known()) return 0;
    if (dimension.number() == 0) return 0;
    count = count > max_counted_elements / dimension.number() ? max_counted_elements
                                                              : count * dimension.number();
  }
  return bytes_of(type.element, count);
}

class GrowthEstimate {
 public:
  explicit GrowthEstimate(const std::function<bool(const Node&)>& may_fold) : may_fold_(may_fold) {}

  void add(const Node& node) {
    if (!may_fold_(node)) return;
    const std::vector<Value*> inputs = inputs_of(node);
    const std::vector<Value*> outputs = outputs_of(node);
    const auto is_text = [](const Value* value) {
      return value->type().element == DataType::string;
    };
    if (std::any_of(outputs.begin(), outputs.end(), is_text)) return;
    if (!std::all_of(inputs.begin(), inputs.end(), [&](auto* each) { return bytes_held(*each); }))
      return;
    for (const Value* input : inputs) {
      if (input->captured() == nullptr && is_last_consumer(*input)) bytes_ -= *bytes_held(*input);
    }
    for (const Value* output : outputs) {
      const std::int64_t bytes = known_bytes(output->type());
      made_.emplace(output, bytes);
      // The data of a Constant are already in the file.
      if (node.op_type() != "Constant") bytes_ += bytes;
    }
  }

  std::int64_t bytes() const { return bytes_; }

 private:
  /// The size of a constant or of a folded node's output; nothing for other values.
  std::optional<std::int64_t> bytes_held(const Value& value) const {
    const Value* held = &value;
    while (held->captured() != nullptr) held = held->captured();
    if (held->is_constant()) return held->constant().size_bytes();
    const auto made = made_.find(held);
    return made != made_.end() ? std::optional(made->second) : std::nullopt;
  }

  bool is_last_consumer(const Value& value) {
    const auto [left, is_new] = consumers_left_.try_emplace(&value, value.uses().size());
    return --left->second == 0;
  }

  const std::function<bool(const Node&)>& may_fold_;
  std::unordered_map<const Value*, std::int64_t> made_;
  std::unordered_map<const Value*, std::size_t> consumers_left_;
  std::int64_t bytes_ = 0;
};

}  // namespace

std::int64_t max_growth_bytes(const Model& model) {
  std::int64_t bytes = 0;
  for (const Graph* graph : graphs_in(model)) {
    for (const Value* value : graph->values()) bytes += value->constant().size_bytes();
  }
  return std::max(min_growth_bytes, bytes / growth_divisor);
}

std::int64_t fold_growth(const Model& model, const std::function<bool(const Node&)>& may_fold) {
  GrowthEstimate estimate(may_fold);
  const Graph& main = *model.graph;
  for (const Graph* graph : graphs_in(main)) {
    for (const Node& node : graph->nodes()) estimate.add(node);
  }
  return estimate.bytes();
}

}  // namespace ortool

// Partition: counts for each node how often values change the provider before it.
#include "providers/cuda/partition.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/provider/shape_rule.hpp"
#include "libcore/tensor/convert.hpp"
#include "providers/cuda/operators/operator_table.hpp"

namespace ortool::cuda {
namespace {

bool is_shape_reader(const Node& node) {
  return node.domain().empty() && (node.op_type() == "Shape" || node.op_type() == "Size");
}

/// Integers, or what comparisons of them give.
bool is_small(const Value* value) {
  const DataType type = type_of(value);
  const std::int64_t rank = rank_of(value);
  const bool is_tracked =
      type == DataType::int64 || type == DataType::int32 || type == DataType::boolean;
  return is_tracked && rank >= 0 && rank <= 1;
}

/// Whether the shape rule of a node computes results of elements: found by giving it ones. More
/// rules do than OpTrait::infers_elements says, which is about formulas: exporters choose sizes by
/// Where.
bool computes_elements(const Node& node) {
  std::vector<Tensor> ones(static_cast<std::size_t>(node.input_count()));
  std::vector<Operand> operands;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    Operand& operand = operands.emplace_back();
    if (node.input(i) == nullptr) continue;
    Tensor& one = ones[static_cast<std::size_t>(i)];
    one = make_scalar(type_of(node.input(i)), std::int64_t{1});
    if (rank_of(node.input(i)) == 1) one = one.reshaped(Shape{1});
    operand = {.type = one.type(), .shape = one.shape(), .known = KnownContent(&one)};
  }
  std::vector<std::int64_t> wanted;
  try {
    const std::vector<RuledOutput> outputs = apply_shape_rule(node, operands, wanted);
    return std::all_of(outputs.begin(), outputs.end(),
                       [](const RuledOutput& output) { return output.content.has_value(); });
  } catch (const Error&) {
    return false;
  }
}

class Partitioner {
 public:
  explicit Partitioner(const Graph& graph) : graph_(graph) {}

  Claims run() {
    for (const Node& node : graph_.nodes()) {
      std::string reason = refusal(node);
      Entry& entry = entries_[&node];
      entry.is_taken = reason.empty();
      entry.stage = stage_of(node, entry.is_taken);
      if (entry.is_taken) {
        groups_[entry.stage].members.push_back(&node);
      } else {
        claims_.refused.push_back({&node, std::move(reason)});
      }
    }
    for (auto& [stage, claim] : groups_) claims_.taken.push_back(std::move(claim));
    return std::move(claims_);
  }

 private:
  struct Entry {
    bool is_taken = false;
    bool is_arithmetic = false;
    std::int64_t stage = 0;
  };

  const Entry* entry_of(const Value* value) const {
    if (value == nullptr || value->producer() == nullptr) return nullptr;
    const auto found = entries_.find(value->producer());
    return found == entries_.end() ? nullptr : &found->second;
  }

  /// Whether the shape rules compute a value whenever the shapes are known.
  bool follows_from_shapes(const Value* value) const {
    if (value == nullptr || value->is_constant()) return true;
    const Entry* entry = entry_of(value);
    return entry != nullptr && entry->is_arithmetic;
  }

  bool is_arithmetic_on_shapes(const Node& node) const {
    if (is_shape_reader(node)) return true;
    if (!is_shape_arithmetic(node)) return false;
    bool has_computed = false;
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      const Value* input = node.input(i);
      if (!follows_from_shapes(input)) return false;
      has_computed = has_computed || (input != nullptr && !input->is_constant());
    }
    // Of constants alone, a result that the rule does not compute is an error that a kernel finds.
    return has_computed;
  }

  std::string refusal(const Node& node) {
    if (!node.subgraphs().empty()) return "control flow is run by the runtime";
    if (is_arithmetic_on_shapes(node)) {
      entries_[&node].is_arithmetic = true;
      return {};
    }
    std::string reason = refusal_of(node);
    if (!reason.empty()) return reason;
    const std::uint32_t parameters = parameters_of(node);
    for (std::int64_t i = 0; i < std::min<std::int64_t>(node.input_count(), 32); ++i) {
      if ((parameters >> i & 1U) == 0 || follows_from_shapes(node.input(i))) continue;
      const Entry* entry = entry_of(node.input(i));
      if (entry != nullptr && entry->is_taken)
        return format("input {} depends on data that the device computes", i);
    }
    return {};
  }

  std::int64_t stage_of(const Node& node, bool is_taken) const {
    std::int64_t stage = 0;
    const auto follow = [&](const Value* value) {
      const Entry* entry = entry_of(value);
      if (entry == nullptr) return;
      const bool leaves_device = !is_taken && entry->is_taken;
      stage = std::max(stage, entry->stage + (leaves_device ? 1 : 0));
    };
    for (std::int64_t i = 0; i < node.input_count(); ++i) follow(node.input(i));
    for (std::int64_t i = 0; i < node.implicit_input_count(); ++i) follow(node.implicit_input(i));
    return stage;
  }

  const Graph& graph_;
  std::unordered_map<const Node*, Entry> entries_;
  std::map<std::int64_t, Claim> groups_;
  Claims claims_;
};

}  // namespace

bool is_shape_arithmetic(const Node& node) {
  if (is_shape_reader(node)) return true;
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    if (node.output(i) != nullptr && !is_small(node.output(i))) return false;
  }
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    if (node.input(i) != nullptr && !is_small(node.input(i))) return false;
  }
  if (has_trait(node, OpTrait::infers_elements) && type_of(node.output(0)) != DataType::boolean)
    return true;
  // What a rule does not compute after all needs a kernel.
  return refusal_of(node).empty() && computes_elements(node);
}

Claims partition(const Graph& graph) {
  return Partitioner(graph).run();
}

}  // namespace ortool::cuda

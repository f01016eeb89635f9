// Transpose cancellation: removes inverse Transposes around a chain of axis-agnostic nodes.
#include <algorithm>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/tensor/concat.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/rewrite/transposed_nodes.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rewrite/write_node.hpp"
#include "libcore/optimize/rules/rules.hpp"

namespace ortool {
namespace {

/// Nodes between the two Transposes.
constexpr int max_passed_nodes = 12;

/// The chain of nodes before a Transpose, read as if already transposed.
class NodeChain {
 public:
  explicit NodeChain(const Node& end) : rank_(rank_of(*end.output(0))) {
    if (const auto order = order_of(end)) order_ = *order;
  }

  /// Whether the value can be computed transposed with Transposes of constants only.
  bool can_transpose(const Value& value) {
    if (value.is_constant()) return can_transpose_constant(value);
    const Node* producer = value.producer();
    if (producer == nullptr || rank_of(value) != rank_) return false;
    if (undoes(*producer)) {
      has_pair_ = true;
      return true;
    }
    if (value.uses().size() != 1 || ++nodes_ > max_passed_nodes) return false;
    if (has_transposed_form(*producer, rank_))
      return (producer->output_count() == 1 || are_all_transposed(*producer)) &&
             can_transpose(*producer->input(0));
    if (!is_elementwise(*producer)) return false;
    for (std::int64_t i = 0; i < producer->input_count(); ++i) {
      const Value* input = producer->input(i);
      if (input != nullptr && !is_parameter(*producer, i) && !can_transpose(*input)) return false;
    }
    return true;
  }

  bool has_pair() const { return has_pair_; }
  bool has_order() const { return !order_.empty(); }

  Value& turn(Replacement& replacement, Value& value) const {
    if (value.is_constant())
      return value.constant().element_count() == 1 ? value
                                                   : add_transpose(replacement, value, order_);
    const Node& producer = *value.producer();
    replacement.stands_for(producer);
    if (undoes(producer)) return *producer.input(0);
    if (has_transposed_form(producer, rank_)) {
      Value& x = turn(replacement, *producer.input(0));
      return add_transposed(replacement, producer, x, order_, index_of(producer, value));
    }
    std::vector<Value*> inputs;
    for (std::int64_t i = 0; i < producer.input_count(); ++i) {
      Value* input = producer.input(i);
      const bool stays = input == nullptr || is_parameter(producer, i);
      inputs.push_back(stays ? input : &turn(replacement, *input));
    }
    NewAttributes changed;
    if (producer.op_type() == "Concat") changed.push_back({"axis", transposed_axis(producer)});
    return replacement.add_like(producer, std::move(inputs), std::move(changed));
  }

 private:
  bool can_transpose_constant(const Value& value) const {
    return value.constant().element_count() == 1 || rank_of(value) == rank_;
  }

  /// Whether the node is a Transpose that is the inverse of the one at the end.
  bool undoes(const Node& node) const {
    if (node.op_type() != "Transpose" || !node.domain().empty()) return false;
    const auto first = order_of(node);
    if (!first || first->size() != order_.size()) return false;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if ((*first)[static_cast<std::size_t>(order_[i])] != static_cast<std::int64_t>(i))
        return false;
    }
    return true;
  }

  /// Whether all consumers of the node's outputs are such Transposes; each gets a clone of the
  /// node, and the clones are merged later.
  bool are_all_transposed(const Node& node) const {
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      const Value& output = *node.output(i);
      if (output.is_graph_output()) return false;
      for (const auto& use : output.uses()) {
        if (use.node->op_type() != "Transpose" || order_of(*use.node) != order_) return false;
      }
    }
    return true;
  }

  static std::int64_t index_of(const Node& node, const Value& output) {
    std::int64_t index = 0;
    while (node.output(index) != &output) ++index;
    return index;
  }

  static bool is_elementwise(const Node& node) {
    const bool is_concat = node.op_type() == "Concat" && node.domain().empty();
    return (is_concat || has_trait(node, OpTrait::elementwise)) && node.output_count() == 1;
  }
  /// Operands that are not data.
  static bool is_parameter(const Node& node, std::int64_t index) {
    return !traits_of(node).holds_elements(index);
  }

  std::int64_t transposed_axis(const Node& concat) const {
    const std::int64_t given = read_op<Concat>(concat).axis;
    const std::int64_t axis = given < 0 ? given + rank_ : given;
    return std::find(order_.begin(), order_.end(), axis) - order_.begin();
  }

  std::int64_t rank_;
  Integers order_;
  int nodes_ = 0;
  bool has_pair_ = false;
};

}  // namespace

Rule cancel_transposes() {
  return {
      .name = "cancel-transposes",
      .summary = "Transpose(f(Transpose(x))) -> f(x), where the Transposes cancel",
      .level = OptimizeLevel::basic,
      .evidence = Evidence::exhaustive,
      .pattern = op("Transpose", {any("last")}),
      .where =
          [](const Match& match) {
            if (match.graph().opset("") < opset_of_broadcasting())
              return no("before opset 7 an attribute controls broadcasting");
            NodeChain chain(match.root());
            const Node* producer = match["last"].producer();
            if (producer == nullptr || producer->op_type() == "Transpose" || !chain.has_order() ||
                !chain.can_transpose(match["last"]) || !chain.has_pair())
              return no("no Transpose before elementwise and single-axis nodes is canceled by it");
            return yes();
          },
      .replace = [](Replacement& replacement) -> Value& {
        const Match& match = replacement.match();
        return NodeChain(match.root()).turn(replacement, match["last"]);
      }};
}

}  // namespace ortool

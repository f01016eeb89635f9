// Promotion of 16 bits: finds regions by union-find over values in 16 bits, then rewrites each node
// by node, in execution order.
#include "libcore/lower/promote_fp16.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/lower/node_predicates.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/optimize/opset/node_edits.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Whether the node's kernels of 16 bits convert to float32 and back.
bool computes(const Node& node) {
  const OpTraits& traits = traits_of(node);
  const bool is_function =
      traits.has(OpTrait::elementwise) && !traits.has(OpTrait::own_result_type);
  return is_function || traits.has(OpTrait::computes_in_float32);
}

/// Whether the node moves elements of any type, including Pad and Dropout.
bool moves(const Node& node) {
  const OpTraits& traits = traits_of(node);
  return traits.has(OpTrait::data_movement) || traits.role == QuantizeRole::concat ||
         (node.domain().empty() && (node.op_type() == "Pad" || node.op_type() == "Dropout"));
}

bool is_fp16(const Value* value) {
  if (value == nullptr || !value->type().is_tensor()) return false;
  const DataType type = value->type().element;
  return type == DataType::float16 || type == DataType::bfloat16;
}

bool is_computed_fp16(const Value* value) {
  return is_fp16(value) && !value->is_constant();
}

ValueType in_type(const Value& value, DataType element) {
  ValueType type = value.type();
  type.element = element;
  return type;
}

class Fp16Promoter {
 public:
  Fp16Promoter(Graph& graph, MemoryCap* cap, PromotedValues& promoted)
      : graph_(graph), cap_(cap), promoted_(promoted) {}

  void run() {
    collect();
    join();
    std::vector<int> computers(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      computers[root(i)] += computes(*nodes_[i]) ? 1 : 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (computers[root(i)] >= 2) chosen_.insert(nodes_[i]);
    }
    for (Node* node : nodes_) {
      if (chosen_.contains(node)) widen(*node);
    }
  }

 private:
  /// Nodes that compute the same in float32, up to rounding.
  void collect() {
    for (Node& node : graph_.nodes()) {
      if (!computes(node) && !moves(node)) continue;
      if (!is_computed_fp16(node.input(0)) || !is_fp16(node.output(0))) continue;
      if (node.subgraphs().empty() && has_plain_attributes(node)) nodes_.push_back(&node);
    }
  }

  void join() {
    parents_.resize(nodes_.size());
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
    std::unordered_map<const Value*, std::size_t> producers;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = *nodes_[i];
      for (std::int64_t j = 0; j < node.input_count(); ++j) {
        const auto producer = producers.find(node.input(j));
        if (producer != producers.end()) parents_[root(i)] = root(producer->second);
      }
      for (std::int64_t j = 0; j < node.output_count(); ++j) {
        if (is_fp16(node.output(j))) producers[node.output(j)] = i;
      }
    }
  }

  std::size_t root(std::size_t index) {
    while (parents_[index] != index) {
      parents_[index] = parents_[parents_[index]];
      index = parents_[index];
    }
    return index;
  }

  /// Whether a consumer needs the value in the model's type.
  bool is_seen(const Value& value) const {
    return std::any_of(value.uses().begin(), value.uses().end(), [&](const Use& use) {
      return use.kind != Use::Kind::input || !chosen_.contains(use.node);
    });
  }

  void widen(Node& node) {
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      if (is_fp16(node.input(i))) graph_.set_input(node, i, &float32_value(*node.input(i)));
    }
    std::vector<Value*> outputs;
    std::vector<std::pair<Value*, Value*>> leaving;
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      Value* output = node.output(i);
      outputs.push_back(output);
      if (!is_fp16(output)) continue;
      if (is_seen(*output)) {
        Value& wide = add_wide(*output);
        converted_[output] = &wide;
        leaving.emplace_back(&wide, output);
        outputs.back() = &wide;
      } else {
        promoted_.types_in_model.emplace(output, output->type().element);
        output->set_type(in_type(*output, DataType::float32));
      }
    }
    if (leaving.empty()) return;
    Node* const next = node.next();
    Node& made = make_again(node, outputs, node.name());
    chosen_.erase(&node);
    chosen_.insert(&made);
    for (const auto& [wide, output] : leaving)
      add_cast(*wide, *output, output->type().element, next);
  }

  /// The float32 value that promoted consumers read instead of one in 16 bits.
  Value& float32_value(Value& value) {
    Value*& converted = converted_[&value];
    if (converted != nullptr) return *converted;
    if (value.is_constant()) {
      converted = &graph_.add_constant(wide_name(value),
                                       convert(value.constant(), DataType::float32, {}, cap_));
      return *converted;
    }
    converted = &add_wide(value);
    Node* const producer = value.producer();
    add_cast(value, *converted, DataType::float32,
             producer != nullptr ? producer->next() : graph_.first_node());
    return *converted;
  }

  Value& add_wide(const Value& value) {
    Value& wide = graph_.add_value(wide_name(value), in_type(value, DataType::float32));
    promoted_.added.insert(&wide);
    return wide;
  }

  std::string wide_name(const Value& value) const {
    std::string name = std::string(value.name()).append(":float32");
    return graph_.find_value(name) == nullptr ? name : std::string();
  }

  void add_cast(Value& from, Value& to, DataType type, Node* before) {
    Value* const inputs[] = {&from};
    Value* const outputs[] = {&to};
    Node& cast = graph_.add_node("Cast", "", inputs, outputs, to.name(), before);
    Attribute attribute;
    attribute.name = "to";
    attribute.value = static_cast<std::int64_t>(type);
    cast.set_attribute(std::move(attribute));
  }

  Graph& graph_;
  MemoryCap* cap_;
  PromotedValues& promoted_;
  std::vector<Node*> nodes_;
  std::vector<std::size_t> parents_;
  std::unordered_set<const Node*> chosen_;
  std::unordered_map<const Value*, Value*> converted_;  ///< the float32 form of values in 16 bits
};

}  // namespace

void promote_fp16(Graph& graph, MemoryCap* cap, PromotedValues& promoted) {
  Fp16Promoter(graph, cap, promoted).run();
}

}  // namespace ortool

// Computes value lifetimes in node order, with sizes that may be formulas.
#include "libcore/inspect/activation_memory.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/graph/formula.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/inspect/weights.hpp"

namespace ortool {
namespace {

constexpr std::size_t max_units = 64;
constexpr std::size_t max_candidates = 8;

/// A polynomial in the symbols: one coefficient for each product of symbols, by its index in a
/// table; index 0 is the constant term.
using Bytes = std::vector<std::int64_t>;

std::int64_t at(const Bytes& bytes, std::size_t unit) {
  return unit < bytes.size() ? bytes[unit] : 0;
}

void add(Bytes& sum, const Bytes& more, std::int64_t factor) {
  sum.resize(std::max(sum.size(), more.size()));
  for (std::size_t i = 0; i < more.size(); ++i) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(more[i], factor, &product) ||
        __builtin_add_overflow(sum[i], product, &sum[i])) {
      throw Error(ErrorCode::invalid, "the values of the model take more than 2^63 bytes together");
    }
  }
}

/// Whether `a` >= `b` for all nonnegative values of the symbols.
bool covers(const Bytes& a, const Bytes& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (at(a, i) < at(b, i)) return false;
  }
  return true;
}

void raise(Bytes& a, const Bytes& b) {
  a.resize(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::max(a[i], at(b, i));
}

/// The candidates for the maximum, none of which is known to be the largest.
class Peak {
 public:
  void offer(const Bytes& bytes) {
    for (const Bytes& candidate : candidates_) {
      if (covers(candidate, bytes)) return;
    }
    std::erase_if(candidates_, [&](const Bytes& candidate) { return covers(bytes, candidate); });
    candidates_.push_back(bytes);
    if (candidates_.size() <= max_candidates) return;
    raise(candidates_.front(), candidates_.back());
    candidates_.pop_back();
    is_bound_ = true;
  }
  const std::vector<Bytes>& candidates() const { return candidates_; }
  bool is_bound() const { return is_bound_; }

 private:
  std::vector<Bytes> candidates_;
  bool is_bound_ = false;
};

/// Thrown to give up; names the value whose size is unknown.
struct Unknown {
  const Value* value;
};

class LifetimeWalk {
 public:
  explicit LifetimeWalk(ActivationMemory& result) : result_(result) {}
  void run(const Graph& graph) {
    const Peak peak = peak_of(graph);
    result_.is_bound = result_.is_bound || peak.is_bound();
    for (const Bytes& candidate : peak.candidates()) {
      result_.bytes = Cost::larger(result_.bytes, cost_of(candidate));
    }
  }

 private:
  Peak peak_of(const Graph& graph);
  Bytes inner_bytes(const Node& node);
  Bytes bytes_of_value(const Value& value);
  Cost cost_of(const Bytes& bytes) const {
    Cost cost{Dimension(at(bytes, 0))};
    for (std::size_t i = 1; i < bytes.size(); ++i) {
      if (bytes[i] != 0) cost.add(Cost(units_[i]).times(Dimension(bytes[i])));
    }
    return cost;
  }

  ActivationMemory& result_;
  std::unordered_map<std::string, std::size_t> numbers_;
  Dimensions units_ = {Dimension(1)};
};

Bytes LifetimeWalk::bytes_of_value(const Value& value) {
  const ValueType* type = &value.type();
  while (type->kind == ValueType::Kind::optional && type->inner) type = type->inner.get();
  if (!type->is_tensor() || !type->shape || type->element == DataType::undefined) {
    throw Unknown{&value};
  }
  Dimension count = 1;
  for (std::size_t i = 0; i < type->shape->size(); ++i) {
    const Dimension& size = (*type->shape)[i];
    count =
        count * (size.is_unknown() ? Dimension::symbol(format("{}[{}]", value.name(), i)) : size);
  }
  const std::int64_t bits = element_bits(type->element);
  const Dimension bytes = bits % 8 == 0 ? count * Dimension(bits / 8)
                                        : ceil_divide(count * Dimension(bits), Dimension(8));
  if (bytes.is_unknown()) throw Unknown{&value};
  if (bytes.is_known()) return {bytes.number()};
  Bytes result;
  for (const Formula::Term& term : bytes.formula().terms()) {
    std::size_t number = 0;
    if (!term.factors.empty()) {
      const Dimension unit = Dimension::of(*Formula::of_terms({Formula::Term{term.factors, 1}}));
      const auto [entry, is_new] = numbers_.emplace(unit.to_string(), units_.size());
      if (is_new) units_.push_back(unit);
      if (units_.size() > max_units) throw Unknown{&value};
      number = entry->second;
    }
    if (result.size() <= number) result.resize(number + 1);
    result[number] = term.coefficient;
  }
  return result;
}

/// The peak inside the node's subgraphs.
Bytes LifetimeWalk::inner_bytes(const Node& node) {
  Bytes most;
  for (const Graph* inside : node.subgraphs()) {
    const Peak peak = peak_of(*inside);
    result_.is_bound = result_.is_bound || peak.is_bound();
    for (const Bytes& candidate : peak.candidates()) {
      if (!most.empty() && !covers(candidate, most) && !covers(most, candidate)) {
        result_.is_bound = true;
      }
      raise(most, candidate);
    }
  }
  return most;
}

/// Weights are constants, outputs of Constant nodes, and DequantizeLinear outputs of stored
/// tensors.
bool is_weight(const Value& value) {
  const Value* source = &value;
  while (source->captured() != nullptr) source = source->captured();
  if (is_stored(*source)) return true;
  const Node* producer = source->producer();
  if (producer == nullptr || !producer->domain().empty()) return false;
  if (producer->op_type() == "Constant") return true;
  const bool is_dequantized =
      producer->op_type() == "DequantizeLinear" && producer->input(0) != nullptr;
  return is_dequantized && is_stored(*producer->input(0));
}

bool is_activation(const Value& value) {
  return value.captured() == nullptr && !is_weight(value);
}

Peak LifetimeWalk::peak_of(const Graph& graph) {
  constexpr const Node* never = nullptr;
  std::unordered_map<const Value*, const Node*> last_consumer;
  const auto each_input = [](const Node& node, const auto& visit) {
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      if (node.input(i) != nullptr) visit(*node.input(i));
    }
    for (std::int64_t i = 0; i < node.implicit_input_count(); ++i) {
      if (node.implicit_input(i) != nullptr) visit(*node.implicit_input(i));
    }
  };
  for (const Node& node : graph.nodes()) {
    each_input(node, [&](const Value& value) { last_consumer[&value] = &node; });
  }
  for (const Value* output : graph.outputs()) last_consumer[output] = never;

  Bytes live;
  for (const Value* input : graph.inputs()) {
    if (is_activation(*input)) add(live, bytes_of_value(*input), 1);
  }
  Peak peak;
  peak.offer(live);
  for (const Node& node : graph.nodes()) {
    std::vector<const Value*> unread;
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      const Value* output = node.output(i);
      if (output == nullptr || !is_activation(*output)) continue;
      add(live, bytes_of_value(*output), 1);
      if (last_consumer.find(output) == last_consumer.end()) unread.push_back(output);
    }
    const Bytes inside = inner_bytes(node);
    add(live, inside, 1);
    peak.offer(live);
    add(live, inside, -1);
    for (const Value* output : unread) add(live, bytes_of_value(*output), -1);
    each_input(node, [&](const Value& value) {
      const auto consumer = last_consumer.find(&value);
      if (consumer == last_consumer.end() || consumer->second != &node) return;
      last_consumer.erase(consumer);
      if (is_activation(value)) add(live, bytes_of_value(value), -1);
    });
  }
  return peak;
}

}  // namespace

ActivationMemory peak_activation_memory(const Model& model) {
  ActivationMemory result;
  try {
    LifetimeWalk(result).run(*model.graph);
  } catch (const Unknown& unknown) {
    result.bytes = Cost();
    result.unknown = unknown.value;
  }
  return result;
}

}  // namespace ortool

// Shape inference of calls of model-local functions: calls with equal operands are inferred once.
#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/inference.hpp"
#include "libcore/infer/instantiate.hpp"
#include "libcore/infer/node_context.hpp"

namespace ortool {
namespace {

/// The total number of nodes in all copies of bodies.
constexpr std::int64_t max_copied_nodes = 1'000'000;

void append(std::string& key, std::string_view text) {
  key += format("{}:", text.size());
  key += text;
}

void append(std::string& key, const Dimension& dimension) {
  append(key, dimension.is_unknown() ? "? " + dimension.cause() : dimension.to_string());
}

void append(std::string& key, const ValueType& type) {
  key += format("{} {} ", static_cast<int>(type.kind), static_cast<int>(type.element));
  if (type.shape) {
    key += format("{}[", type.shape->size());
    for (const Dimension& dimension : *type.shape) append(key, dimension);
  } else {
    append(key, type.rank_cause);
  }
  if (type.inner != nullptr) append(key, *type.inner);
}

void append(std::string& key, const KnownElements& elements) {
  key += format("{}(", elements.size());
  for (const KnownElement& element : elements) {
    append(key, element.numerator);
    key += format("/{} ", element.denominator);
  }
}

/// Small attributes are compared by content, large ones by address.
void append(std::string& key, const Attribute& attribute) {
  append(key, attribute.name);
  const auto& value = attribute.value;
  key += format("{} ", value.index());
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    key += format("{}", *integer);
  } else if (const auto* number = std::get_if<float>(&value)) {
    key += format("{}", *number);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    append(key, *text);
  } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) {
    for (const std::int64_t each : *integers) key += format("{},", each);
  } else if (const auto* tensor = std::get_if<Tensor>(&value)) {
    key += format("{} {} {}", static_cast<const void*>(tensor->bytes()), name_of(tensor->type()),
                  tensor->shape().to_string());
  } else {
    key += format("{}", static_cast<const void*>(&attribute));
  }
}

std::vector<const Graph*> graphs_inside(const Graph& graph) {
  std::vector<const Graph*> all = {&graph};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Node& node : all[i]->nodes()) {
      for (const Graph* subgraph : node.subgraphs()) all.push_back(subgraph);
    }
  }
  return all;
}

}  // namespace

std::string name_of_callee(std::string_view domain, std::string_view name,
                           std::string_view overload) {
  std::string key;
  append(key, domain);
  append(key, name);
  append(key, overload);
  return key;
}

Inference::Callee* Inference::find_callee(const Node& node) {
  if (callees_.empty()) return nullptr;
  const auto found = callees_.find(name_of_callee(node.domain(), node.op_type(), node.overload()));
  return found != callees_.end() ? &found->second : nullptr;
}

void Inference::infer_call(Node& node, Callee& callee) {
  NodeContext context(node, *this);
  std::string key;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* input = node.input(i);
    if (input == nullptr) {
      key += '-';
      continue;
    }
    append(key, type_of(*input));
    const InferredValue known = known_of(*input);
    if (known.elements) append(key, *known.elements);
    if (const Tensor* tensor = tensor_of(*input))
      key += format("@{}", static_cast<const void*>(tensor->bytes()));
  }
  for (const Attribute& attribute : node.attributes()) append(key, attribute);
  auto found = callee.calls.find(key);
  if (found == callee.calls.end()) {
    std::vector<InferredValue> outputs;
    try {
      outputs = run_call(node, callee);
    } catch (Error& error) {
      throw error.at_node(node.name(), node.op_type());
    }
    found = callee.calls.emplace(std::move(key), std::move(outputs)).first;
  }
  const std::vector<InferredValue>& outputs = found->second;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    context.set_output(static_cast<std::int64_t>(i), outputs[i]);
  context.finish();
}

std::vector<InferredValue> Inference::run_call(const Node& node, Callee& callee) {
  const Graph& body = *callee.function->body;
  if (callee.node_count < 0) callee.node_count = count_nodes(body);
  if (open_graphs_ >= max_open_graphs || copied_nodes_ + callee.node_count > max_copied_nodes)
    return {};
  copied_nodes_ += callee.node_count;
  const std::unique_ptr<Graph> copy = instantiate(*callee.function, node);
  for (std::size_t i = 0; i < copy->inputs().size(); ++i) {
    const Value* given = node.input(static_cast<std::int64_t>(i));
    if (given == nullptr) continue;
    Value& input = *copy->inputs()[i];
    input.set_type(type_of(*given));
    if (const KnownElements* elements = elements_of(*given)) set_elements(input, *elements);
    if (const Tensor* tensor = tensor_of(*given)) set_tensor(input, *tensor);
  }
  ++open_graphs_;
  infer_graph(*copy);
  --open_graphs_;
  std::vector<InferredValue> outputs;
  for (const Value* output : copy->outputs()) outputs.push_back(known_of(*output));
  show_types(*copy, callee);
  for (const Graph* graph : graphs_inside(*copy)) {
    declared_.erase(graph);
    for (const Value* value : graph->values()) {
      forget(*value);
      warned_.erase(value);
    }
  }
  return outputs;
}

void Inference::show_types(const Graph& copy, Callee& callee) {
  const std::vector<const Graph*> from = graphs_inside(copy);
  const std::vector<const Graph*> to = graphs_inside(*callee.function->body);
  ++callee.shown;
  if (callee.shown == 2) {
    for (const auto& [value, type] : callee.declared) value->set_type(type);
    callee.declared.clear();
  }
  if (callee.shown > 1 || from.size() != to.size()) return;
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (Value* value : to[i]->values()) {
      const Value* inferred = from[i]->find_value(value->name());
      if (inferred == nullptr || value->is_constant()) continue;
      callee.declared.emplace_back(value, value->type());
      value->set_type(inferred->type());
    }
  }
}

}  // namespace ortool

// Inference over graphs and bodies, with a limit on repeated inference of bodies.
#include "libcore/infer/inference.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/captured.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/instantiate.hpp"
#include "libcore/infer/merge_types.hpp"
#include "libcore/infer/node_context.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/check_node.hpp"

namespace ortool {
namespace {

/// The average number of times a body may be inferred; beyond that, declared types are kept.
constexpr std::int64_t work_a_node = 16;
constexpr std::int64_t min_work = 10'000;
/// The total number of elements that are tracked over all values.
constexpr std::int64_t max_elements_in_all = std::int64_t{1} << 20;

/// Adds the symbols of the type's dimensions, and of those in a sequence's or optional's elements.
void add_symbols(const ValueType& type, std::unordered_set<std::string>& symbols) {
  if (type.inner) add_symbols(*type.inner, symbols);
  if (!type.shape) return;
  for (const Dimension& dimension : *type.shape) {
    if (dimension.is_symbol()) symbols.insert(dimension.symbol());
  }
}

/// The type with all symbols made unknown.
ValueType without_symbols(const ValueType& type) {
  ValueType result = type;
  if (type.inner) result.inner = std::make_shared<const ValueType>(without_symbols(*type.inner));
  if (!result.shape) return result;
  for (Dimension& dimension : *result.shape) {
    if (dimension.is_symbol()) dimension = Dimension().because(dimension);
  }
  return result;
}

bool has_symbol(const ValueType& type) {
  if (type.inner && has_symbol(*type.inner)) return true;
  return type.shape &&
         std::any_of(type.shape->begin(), type.shape->end(),
                     [](const Dimension& dimension) { return dimension.is_symbol(); });
}

}  // namespace

Inference::Inference(Model& model) : model_(model) {
  work_left_ = min_work + work_a_node * count_nodes(*model.graph);
  for (const Function& function : model.functions)
    callees_[name_of_callee(function.domain, function.name, function.overload)].function =
        &function;
  for (const Value* input : model.inputs()) {
    add_symbols(input->type(), input_symbols_);
    name_dimensions(*input);
  }
}

/// Exporters write "?" for dimensions that are independent of each other.
void Inference::name_dimensions(const Value& input) {
  ValueType type = input.type();
  if (!type.is_tensor()) return;
  if (!type.shape) {
    type.rank_cause = Dimension::unknown_because(
        format("the model does not declare the rank of input '{}'", input.name()));
    input_types_.emplace(&input, std::move(type));
    return;
  }
  bool has_nameless = false;
  for (std::size_t i = 0; i < type.shape->size(); ++i) {
    Dimension& dimension = (*type.shape)[i];
    if (!dimension.is_unknown() && dimension.symbol() != "?") continue;
    dimension = Dimension::symbol(format("{}_dim_{}", input.name(), i));
    has_nameless = true;
  }
  if (has_nameless) input_types_.emplace(&input, std::move(type));
}

const ValueType& Inference::type_of(const Value& value) const {
  const auto found = input_types_.find(&value);
  return found != input_types_.end() ? found->second : value.type();
}

const Tensor* Inference::tensor_of(const Value& value) const {
  const Value& origin = captured_root(value);
  if (origin.is_constant()) return &origin.constant();
  const auto found = tensors_.find(&origin);
  return found != tensors_.end() ? &found->second : nullptr;
}

const KnownElements* Inference::elements_of(const Value& value) const {
  const auto found = elements_.find(&captured_root(value));
  return found != elements_.end() ? &found->second : nullptr;
}

void Inference::set_tensor(const Value& value, const Tensor& tensor) {
  tensors_[&value] = tensor;
}

void Inference::set_elements(const Value& value, KnownElements elements) {
  const auto count = static_cast<std::int64_t>(elements.size());
  if (count > max_known_elements || element_count_ + count > max_elements_in_all) return;
  const auto [place, is_new] = elements_.try_emplace(&value);
  if (!is_new) element_count_ -= static_cast<std::int64_t>(place->second.size());
  element_count_ += count;
  place->second = std::move(elements);
}

void Inference::forget(const Value& value) {
  tensors_.erase(&value);
  const auto found = elements_.find(&value);
  if (found == elements_.end()) return;
  element_count_ -= static_cast<std::int64_t>(found->second.size());
  elements_.erase(found);
}

InferredValue Inference::known_of(const Value& value) const {
  InferredValue result{type_of(value), std::nullopt};
  if (const KnownElements* elements = elements_of(value)) {
    result.elements = *elements;
  } else if (const Tensor* tensor = tensor_of(value)) {
    result.elements = ortool::elements_of(*tensor);
  }
  return result;
}

bool Inference::claim_symbol(const std::string& symbol, const Value& value, std::size_t axis) {
  if (symbol == "?" || input_symbols_.contains(symbol)) return false;
  const std::pair<const Value*, std::size_t> place(&value, axis);
  return claimed_symbols_.try_emplace(symbol, place).first->second == place;
}

std::optional<ValueType> Inference::trusted_type(const Value& value, const ValueType& inferred) {
  const ValueType& declared = value.type();
  const bool is_only_source = inferred.kind == ValueType::Kind::unknown;
  if (is_only_source || !has_symbol(declared)) return std::nullopt;
  if (!declared.shape) return without_symbols(declared);
  ValueType result = declared;
  bool is_changed = false;
  for (std::size_t axis = 0; axis < result.shape->size(); ++axis) {
    Dimension& dimension = (*result.shape)[axis];
    if (!dimension.is_symbol()) continue;
    const bool is_open =
        !inferred.shape || axis >= inferred.shape->size() || (*inferred.shape)[axis].is_unknown();
    if (!is_open || claim_symbol(dimension.symbol(), value, axis)) continue;
    dimension = Dimension().because(dimension);
    is_changed = true;
  }
  if (!is_changed) return std::nullopt;
  return result;
}

void Inference::warn(const Value& value, const ValueType& declared, const ValueType& inferred) {
  if (!warned_.insert(&value).second) return;
  model_.warnings.push_back(format("the file declares '{}' as {}, but its node produces {}",
                                   value.name(), declared.to_string(), inferred.to_string()));
}

void Inference::infer_graph(const Graph& graph) {
  for (Node& node : graph.nodes()) infer_node(node);
}

void Inference::infer_node(Node& node) {
  if (Callee* callee = find_callee(node)) {
    infer_call(node, *callee);
    return;
  }
  const OpEntry* entry = find_op(node.domain(), node.op_type());
  const OpVersion* version = entry != nullptr ? version_of(*entry, node) : nullptr;
  NodeContext context(node, *this);
  if (version == nullptr) {
    context.finish();
    for (const Graph* body : node.subgraphs()) static_cast<void>(infer_body(*body, {}));
    return;
  }
  check_node(node);
  try {
    entry->infer(node, *version, context);
    context.finish();
  } catch (Error& error) {
    throw error.at_node(node.name(), node.op_type());
  }
}

void Inference::reset_body(const Graph& body) {
  const auto [place, is_new] = declared_.try_emplace(&body);
  for (Value* value : body.values()) {
    if (value->captured() != nullptr || value->is_constant()) continue;
    if (is_new && value->type().kind != ValueType::Kind::unknown)
      place->second.emplace_back(value, value->type());
    if (!is_new) value->set_type({});
    forget(*value);
  }
  if (is_new) return;
  for (const auto& [value, type] : place->second) value->set_type(type);
}

std::vector<InferredValue> Inference::infer_body(const Graph& body,
                                                 std::vector<InferredValue> inputs) {
  reset_body(body);
  for (Value* capture : body.captures()) capture->set_type(type_of(*capture->captured()));
  for (std::size_t i = 0; i < body.inputs().size(); ++i) {
    Value& input = *body.inputs()[i];
    forget(input);
    if (i >= inputs.size()) continue;
    const std::optional<ValueType> trusted = trusted_type(input, inputs[i].type);
    MergedType merged =
        merge_types(input.name(), trusted ? *trusted : input.type(), std::move(inputs[i].type));
    if (merged.contradicts) warn(input, input.type(), merged.type);
    input.set_type(std::move(merged.type));
    if (inputs[i].elements) set_elements(input, std::move(*inputs[i].elements));
  }
  work_left_ -= body.node_count() + 1;
  if (work_left_ >= 0 && open_graphs_ < max_open_graphs) {
    ++open_graphs_;
    infer_graph(body);
    --open_graphs_;
  }
  std::vector<InferredValue> outputs;
  for (const Value* output : body.outputs()) outputs.push_back(known_of(*output));
  return outputs;
}

}  // namespace ortool

// Type inference for branches and loop bodies, with a bound on the number of iterations.
#include "libcore/ops/controlflow/body_rules.hpp"

#include <memory>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/check_node.hpp"

namespace ortool {
namespace {

/// Number of calls after which all shape information of carried values that still change is
/// dropped.
constexpr int max_calls = 3;

bool widen_elements(std::optional<KnownElements>& elements,
                    const std::optional<KnownElements>& other, const Dimension& unknown) {
  if (!elements) return false;
  if (!other || other->size() != elements->size()) {
    elements.reset();
    return true;
  }
  bool has_changed = false;
  for (std::size_t i = 0; i < elements->size(); ++i) {
    KnownElement& mine = (*elements)[i];
    if (mine == (*other)[i] || mine.is_unknown()) continue;
    mine = unknown;
    has_changed = true;
  }
  return has_changed;
}

bool widen_type(ValueType& type, const ValueType& other, const Dimension& unknown) {
  if (type.kind == ValueType::Kind::unknown) return false;
  if (type.kind != other.kind || type.element != other.element ||
      (type.inner == nullptr) != (other.inner == nullptr)) {
    type = ValueType();
    type.rank_cause = unknown;
    return true;
  }
  bool has_changed = false;
  if (type.inner != nullptr) {
    ValueType inner = *type.inner;
    has_changed = widen_type(inner, *other.inner, unknown);
    if (has_changed) type.inner = std::make_shared<const ValueType>(std::move(inner));
  }
  if (!type.shape) return has_changed;
  if (!other.shape || other.shape->size() != type.shape->size()) {
    type.shape.reset();
    type.rank_cause = unknown.or_because(other.rank_cause);
    if (!other.rank_cause.cause().empty()) type.rank_cause = other.rank_cause;
    return true;
  }
  for (std::size_t i = 0; i < type.shape->size(); ++i) {
    Dimension& mine = (*type.shape)[i];
    const Dimension& theirs = (*other.shape)[i];
    if (mine.is_unknown() || mine == theirs) continue;
    mine = theirs.is_unknown() ? theirs.or_because(unknown) : unknown;
    has_changed = true;
  }
  return has_changed;
}

/// A dimension of a carried value that is not the same in every iteration.
struct OpenSize {
  std::size_t value = 0;
  std::size_t axis = 0;
  std::size_t first = 0;  ///< index of the first open size that equals this one in every iteration

  const Dimension* in(const std::vector<InferredValue>& values) const {
    const PartialShape& shape = values[value].type.shape;
    return shape && axis < shape->size() ? &(*shape)[axis] : nullptr;
  }
};

bool are_equal_sizes(const Dimension* a, const Dimension* b) {
  return a != nullptr && b != nullptr && !a->is_unknown() && *a == *b;
}

std::vector<OpenSize> find_open_sizes(const std::vector<InferredValue>& carried) {
  std::vector<OpenSize> sizes;
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const PartialShape& shape = carried[i].type.shape;
    if (!carried[i].type.is_tensor() || !shape) continue;
    for (std::size_t axis = 0; axis < shape->size(); ++axis) {
      if ((*shape)[axis].is_unknown()) sizes.push_back({i, axis, 0});
    }
  }
  return sizes;
}

/// Splits the groups whose members have different sizes in `values`; returns whether any were
/// split.
bool part_by(const std::vector<InferredValue>& values, std::vector<OpenSize>& sizes) {
  const std::vector<OpenSize> old = sizes;
  bool has_parted = false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i].first = i;
    for (std::size_t j = 0; j < i; ++j) {
      if (old[j].first != old[i].first || sizes[j].first != j ||
          !are_equal_sizes(sizes[j].in(values), sizes[i].in(values)))
        continue;
      sizes[i].first = j;
      break;
    }
    if (sizes[i].first != old[i].first) has_parted = true;
  }
  return has_parted;
}

}  // namespace

bool widen(InferredValue& value, const InferredValue& other, const Dimension& unknown) {
  const bool has_new_type = widen_type(value.type, other.type, unknown);
  const bool has_new_elements = widen_elements(value.elements, other.elements, unknown);
  return has_new_type || has_new_elements;
}

std::optional<std::vector<InferredValue>> try_body(InferContext& context, const Graph& body) {
  try {
    return context.infer_body(body, {});
  } catch (const Error&) {
    std::vector<const Graph*> graphs = {&body};
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      for (const Node& node : graphs[i]->nodes()) {
        if (find_op(node.domain(), node.op_type()) != nullptr) check_node(node);
        for (const Graph* subgraph : node.subgraphs()) graphs.push_back(subgraph);
      }
    }
  }
  return std::nullopt;
}

std::vector<InferredValue> repeat_body(
    std::vector<InferredValue>& carried, const Dimension& unknown,
    FunctionRef<std::vector<InferredValue>(const std::vector<InferredValue>&)> body) {
  for (int calls = 1;; ++calls) {
    std::vector<InferredValue> results = body(carried);
    bool has_changed = false;
    for (std::size_t i = 0; i < carried.size(); ++i) {
      if (widen(carried[i], results[i], unknown)) has_changed = true;
    }
    if (!has_changed) return results;
    if (calls < max_calls) continue;
    for (InferredValue& value : carried) {
      value.elements.reset();
      if (value.type.shape) {
        value.type.shape.reset();
        value.type.rank_cause = unknown;
      }
    }
    if (calls <= max_calls) continue;
    return results;
  }
}

void name_sizes(const std::vector<InferredValue>& before, const std::vector<InferredValue>& carried,
                std::span<Value* const> inputs,
                FunctionRef<std::vector<InferredValue>(const std::vector<InferredValue>&)> body) {
  std::vector<OpenSize> sizes = find_open_sizes(carried);
  if (sizes.empty()) return;
  part_by(before, sizes);
  for (int calls = 1;; ++calls) {
    std::vector<InferredValue> named = carried;
    for (const OpenSize& size : sizes) {
      const OpenSize& first = sizes[size.first];
      (*named[size.value].type.shape)[size.axis] =
          Dimension::symbol(format("{}_dim_{}", inputs[first.value]->name(), first.axis));
    }
    const std::vector<InferredValue> results = body(named);
    if (calls > max_calls || !part_by(results, sizes)) return;
    if (calls < max_calls) continue;
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i].first = i;
  }
}

void check_body(const Graph& body, std::int64_t inputs, std::int64_t outputs) {
  const auto found_inputs = static_cast<std::int64_t>(body.inputs().size());
  const auto found_outputs = static_cast<std::int64_t>(body.outputs().size());
  if (found_inputs == inputs && found_outputs == outputs) return;
  throw Error(ErrorCode::invalid,
              format("the body has {} inputs and {} outputs (expected {} and {})", found_inputs,
                     found_outputs, inputs, outputs))
      .with_id("node.subgraph");
}

void check_output_count(const Node& node, std::int64_t expected) {
  if (node.output_count() == expected) return;
  throw Error(ErrorCode::invalid,
              format("has {} outputs, but its body produces {}", node.output_count(), expected))
      .with_id("node.subgraph");
}

}  // namespace ortool

// Shared symbols: finds them, compares their sizes, and removes them from a model.
#include "libcore/runtime/shared_symbols.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

using Kind = ValueType::Kind;

/// The type of the tensors in a value: for a sequence, that of its elements.
const ValueType& tensor_type(const ValueType& type) {
  const bool holds_others = type.kind == Kind::sequence || type.kind == Kind::optional;
  return holds_others && type.inner ? tensor_type(*type.inner) : type;
}

bool holds_many(const ValueType& type) {
  if (type.kind == Kind::sequence) return true;
  return type.kind == Kind::optional && type.inner && holds_many(*type.inner);
}

/// Whether all tensors in `value` have this size along the axis; sets `size` from the first tensor
/// if it is unset.
bool agrees(const RunValue& value, std::int64_t axis, std::optional<std::int64_t>& size) {
  if (value.is_sequence()) {
    return std::all_of(value.elements().begin(), value.elements().end(),
                       [&](const RunValue& element) { return agrees(element, axis, size); });
  }
  if (!value.is_tensor() || axis >= value.tensor().shape().rank()) return true;
  const std::int64_t found = value.tensor().shape()[axis];
  if (!size) size = found;
  return *size == found;
}

/// The type with `change` applied to its shape, or to that of the tensors in it.
template <typename Change>
ValueType with_shape(const ValueType& type, const Change& change) {
  ValueType result = type;
  if (type.inner) result.inner = std::make_shared<const ValueType>(with_shape(*type.inner, change));
  if (result.shape) change(result.shape);
  result.extras = nullptr;
  return result;
}

}  // namespace

SharedSymbols::SharedSymbols(const Graph& graph) {
  std::map<std::string, Places> by_name;
  std::map<std::string, bool> is_of_sequence;
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    const ValueType& type = graph.inputs()[i]->type();
    const PartialShape& shape = tensor_type(type).shape;
    for (std::size_t axis = 0; shape && axis < shape->size(); ++axis) {
      const std::string& name = (*shape)[axis].symbol();
      if (name.empty() || name == "?") continue;
      by_name[name].push_back({i, static_cast<std::int64_t>(axis)});
      is_of_sequence[name] |= holds_many(type);
    }
  }
  for (auto& [name, places] : by_name) {
    if (places.size() > 1 || is_of_sequence[name]) symbols_.push_back(std::move(places));
  }
}

bool SharedSymbols::hold_for(std::span<const RunValue> given) const {
  return std::all_of(symbols_.begin(), symbols_.end(), [&](const Places& places) {
    std::optional<std::int64_t> size;
    return std::all_of(places.begin(), places.end(), [&](const Place& place) {
      return agrees(given[place.input], place.axis, size);
    });
  });
}

void forget_symbols(Model& model) {
  const auto forget = [](PartialShape& shape) {
    for (Dimension& dimension : *shape) {
      if (!dimension.is_known()) dimension = Dimension();
    }
  };
  const auto remove = [](PartialShape& shape) { shape.reset(); };
  for (Graph* graph : graphs_in(*model.graph)) {
    for (Value* value : graph->values()) {
      if (value->is_constant() || value->captured() != nullptr) continue;
      const bool is_input = value->is_in(*model.graph) && value->is_graph_input();
      value->set_type(is_input ? with_shape(value->type(), forget)
                               : with_shape(value->type(), remove));
    }
  }
}

}  // namespace ortool

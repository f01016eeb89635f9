// Declared types: values may reuse the address of removed ones, so names distinguish them.
#include "libcore/optimize/surgery/declared_types.hpp"

#include <vector>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

std::vector<Value*> interface_of(const Graph& graph) {
  std::vector<Value*> values(graph.inputs().begin(), graph.inputs().end());
  values.insert(values.end(), graph.outputs().begin(), graph.outputs().end());
  for (const DeclaredValue& declared : graph.declared_values) {
    if (declared.value != nullptr && declared.value->is_in(graph)) values.push_back(declared.value);
  }
  return values;
}

/// Without formulas.
Dimensions plain(const Dimensions& dimensions) {
  Dimensions result;
  for (const Dimension& dimension : dimensions)
    result.push_back(dimension.is_known() || dimension.is_symbol() ? dimension : Dimension());
  return result;
}

/// The declared dimensions, with numbers from `inferred` where it has them.
Dimensions filled_in(const Dimensions& declared, const Dimensions& inferred) {
  if (declared.size() != inferred.size()) return plain(inferred);
  Dimensions result = declared;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (inferred[i].is_known()) result[i] = inferred[i];
  }
  return result;
}

}  // namespace

DeclaredTypes::DeclaredTypes(const Model& model) {
  for (const Graph* graph : graphs_in(model)) {
    for (const Value* value : interface_of(*graph))
      types_.try_emplace(value, Declared{std::string(value->name()), value->type()});
  }
}

void DeclaredTypes::restore(Model& model, bool has_fixed_shapes) const {
  for (const Graph* graph : graphs_in(*model.graph)) {
    for (Value* value : interface_of(*graph)) {
      const auto found = types_.find(value);
      if (found == types_.end() || found->second.name != value->name()) continue;
      ValueType type = found->second.type;
      const ValueType& inferred = value->type();
      // Converted element types stay.
      if (type.is_tensor() && inferred.is_tensor()) type.element = inferred.element;
      const bool has_none = type.kind == ValueType::Kind::unknown;
      if (has_none && graph == model.graph.get() && value->is_graph_output()) {
        type = inferred;
        if (type.shape) type.shape = plain(*type.shape);
      } else if (has_fixed_shapes && type.is_tensor() && inferred.shape) {
        type.shape = type.shape ? filled_in(*type.shape, *inferred.shape) : plain(*inferred.shape);
      }
      value->set_type(std::move(type));
    }
  }
}

}  // namespace ortool

// Fixes dimensions and shapes of graph inputs before shape inference.
#include "libcore/infer/infer_shapes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/inference.hpp"
#include "libcore/ops/check_node.hpp"

namespace ortool {
namespace {

/// Throws when `shape` contradicts the declaration of `input`.
void check_fits(const Value& input, const Shape& shape) {
  const PartialShape& declared = input.type().shape;
  if (!declared) return;
  bool fits = static_cast<std::int64_t>(declared->size()) == shape.rank();
  for (std::size_t i = 0; fits && i < declared->size(); ++i) {
    const Dimension& dimension = (*declared)[i];
    fits = !dimension.is_known() || dimension.number() == shape[static_cast<std::int64_t>(i)];
  }
  if (!fits) {
    throw Error(ErrorCode::invalid,
                format("input '{}' cannot have the shape {} (the model declares {})", input.name(),
                       shape.to_string(), to_string(declared)),
                "give a shape of that rank that agrees with the model's fixed dimensions");
  }
}

/// Substitutes numbers in the declared shape of a value.
void put_in(Value& value, const SymbolMap& numbers) {
  const auto is_meant = [&](const Dimension& dimension) {
    return dimension.is_symbol() && numbers.contains(dimension.symbol());
  };
  const PartialShape& declared = value.type().shape;
  if (!declared || std::none_of(declared->begin(), declared->end(), is_meant)) return;
  ValueType type = value.type();
  for (Dimension& dimension : *type.shape) dimension = substitute(dimension, numbers);
  value.set_type(std::move(type));
}

}  // namespace

void infer_shapes(Model& model) {
  Inference(model).infer_graph(*model.graph);
}

void fix_dimension(Model& model, std::string_view symbol, std::int64_t number) {
  const SymbolMap numbers = {{std::string(symbol), number}};
  bool is_of_input = false;
  for (const Value* input : model.inputs()) {
    if (!input->type().is_tensor() || !input->type().shape) continue;
    for (const Dimension& dimension : *input->type().shape)
      is_of_input = is_of_input || dimension.symbol() == symbol;
  }
  if (!is_of_input) {
    throw Error(ErrorCode::invalid, format("no input of the model has a dimension '{}'", symbol),
                "'ortool inspect' shows the inputs with their dimensions");
  }
  std::vector<const Graph*> graphs = {model.graph.get()};
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (Value* value : graphs[i]->values()) put_in(*value, numbers);
    for (const Node& node : graphs[i]->nodes()) {
      for (const Graph* subgraph : node.subgraphs()) graphs.push_back(subgraph);
    }
  }
}

void fix_shape(Model& model, std::string_view input, const Shape& shape) {
  Value* value = model.find_value(input);
  if (value == nullptr || !value->is_graph_input()) {
    throw Error(ErrorCode::invalid, format("the model has no input '{}'", input),
                "'ortool inspect' shows the inputs");
  }
  check_fits(*value, shape);
  ValueType type = value->type();
  if (type.is_tensor() && type.shape) {
    for (std::size_t i = 0; i < type.shape->size(); ++i) {
      const Dimension old = (*type.shape)[i];
      // "?" is not a symbol: its occurrences are independent of each other.
      if (!old.is_symbol() || old.symbol() == "?") continue;
      const bool is_fixed = value->type().shape->at(i).is_known();
      if (!is_fixed) fix_dimension(model, old.symbol(), shape[static_cast<std::int64_t>(i)]);
    }
    type = value->type();
  }
  type.shape = to_partial(shape);
  value->set_type(std::move(type));
}

}  // namespace ortool

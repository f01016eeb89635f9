// Fixing dimensions and shapes of graph inputs before inference.
#include "libcore/infer/infer_shapes.hpp"

#include "libcore/base/format.hpp"
#include "libcore/infer/inference.hpp"
#include "libcore/ops/check_node.hpp"

namespace ortool {
namespace {

/// Throws when `shape` contradicts what the model declares of `input`.
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
                "give a shape of that rank, with the model's own numbers where it has them");
  }
}

}  // namespace

void infer_shapes(Model& model) {
  Inference(model).infer_graph(*model.graph);
}

void fix_dimension(Model& model, std::string_view symbol, std::int64_t number) {
  bool found = false;
  for (Value* input : model.graph->inputs()) {
    ValueType type = input->type();
    if (!type.is_tensor() || !type.shape) continue;
    for (Dimension& dimension : *type.shape) {
      if (dimension.symbol() != symbol) continue;
      dimension = Dimension(number);
      found = true;
    }
    input->set_type(std::move(type));
  }
  if (!found) {
    throw Error(ErrorCode::invalid, format("no input of the model has a dimension '{}'", symbol),
                "'ortool inspect' shows the inputs with their dimensions");
  }
}

void fix_shape(Model& model, std::string_view input, const Shape& shape) {
  Value* value = model.graph->find_value(input);
  if (value == nullptr || !value->is_graph_input()) {
    throw Error(ErrorCode::invalid, format("the model has no input '{}'", input),
                "'ortool inspect' shows the inputs");
  }
  check_fits(*value, shape);
  ValueType type = value->type();
  if (type.is_tensor() && type.shape) {
    for (std::size_t i = 0; i < type.shape->size(); ++i) {
      const Dimension old = (*type.shape)[i];
      if (old.is_symbol()) fix_dimension(model, old.symbol(), shape[static_cast<std::int64_t>(i)]);
    }
    type = value->type();
  }
  type.shape = to_partial(shape);
  value->set_type(std::move(type));
}

}  // namespace ortool

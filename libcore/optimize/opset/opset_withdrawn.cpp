// Opset adapters of withdrawn operators: the new node takes the old one's name and output.
#include "libcore/optimize/opset/opset_withdrawn.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/experimental/crop.hpp"
#include "libcore/ops/experimental/scaled_functions.hpp"
#include "libcore/optimize/opset/node_edits.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool::withdrawn {
namespace {

Value& integers_in(Graph& graph, const Integers& numbers) {
  const Shape shape({static_cast<std::int64_t>(numbers.size())});
  return graph.add_constant("", Tensor::of<std::int64_t>(shape, std::span(numbers)));
}

/// Replaces a node by a chain of nodes that starts with its inputs.
class Replacement {
 public:
  explicit Replacement(Node& node)
      : graph_(node.graph()), output_(node.output(0)), name_(node.name()), before_(node.next()) {
    last_ = take_out(node).front();
  }

  Graph& graph() { return graph_; }
  /// A node that reads the last one's result and `operands`; the `is_end` one produces the result.
  Node& add(std::string_view op_type, const std::vector<Value*>& operands, bool is_end) {
    std::vector<Value*> inputs = {last_};
    inputs.insert(inputs.end(), operands.begin(), operands.end());
    Value* const outputs[] = {is_end ? output_ : &graph_.add_value("")};
    last_ = outputs[0];
    return graph_.add_node(op_type, "", inputs, outputs, is_end ? name_ : std::string(), before_);
  }

 private:
  Graph& graph_;
  Value* output_;
  std::string name_;
  Node* before_;
  Value* last_ = nullptr;
};

/// x * scale + shift, where shift has the shape `shift_shape`; without shift: the product only.
Node& scale_and_shift(Node& node, float scale, std::span<const float> shift, Shape shift_shape) {
  const DataType type = element_of(*node.input(0));
  if (type != DataType::float32 && type != DataType::float64)
    refuse_form("its product would be rounded before the addition");
  Tensor factor(type, Shape());
  set_element(factor, 0, static_cast<double>(scale));
  Tensor term(type, std::move(shift_shape));
  for (std::size_t i = 0; i < shift.size(); ++i)
    set_element(term, static_cast<std::int64_t>(i), static_cast<double>(shift[i]));
  Replacement made(node);
  Graph& graph = made.graph();
  Node& product = made.add("Mul", {&graph.add_constant("", std::move(factor))}, shift.empty());
  if (shift.empty()) return product;
  return made.add("Add", {&graph.add_constant("", std::move(term))}, true);
}

}  // namespace

Node& affine_up(Node& node) {
  const auto op = read_op<Affine>(node);
  return scale_and_shift(node, op.alpha, std::span(&op.beta, 1), Shape());
}

Node& crop_up(Node& node) {
  const auto op = read_op<Crop>(node);
  const Dimensions* sizes = dimensions_of(*node.input(0));
  const bool is_known =
      sizes != nullptr && sizes->size() == 4 && (*sizes)[2].is_known() && (*sizes)[3].is_known();
  if (!is_known) refuse_form("the size of its input is unknown");
  const std::int64_t bottom = op.height ? op.top + *op.height : (*sizes)[2].number() - op.bottom;
  const std::int64_t right = op.width ? op.left + *op.width : (*sizes)[3].number() - op.right;
  Replacement made(node);
  Graph& graph = made.graph();
  return made.add("Slice",
                  {&integers_in(graph, {op.top, op.left}), &integers_in(graph, {bottom, right}),
                   &integers_in(graph, {2, 3})},
                  true);
}

Node& image_scaler_up(Node& node) {
  const auto op = read_op<ImageScaler>(node);
  return scale_and_shift(node, op.scale, op.bias,
                         Shape({static_cast<std::int64_t>(op.bias.size()), 1, 1}));
}

}  // namespace ortool::withdrawn

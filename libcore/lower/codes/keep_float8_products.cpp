// Float8 products: both operands of a product are results of DequantizeLinear of float8.
#include "libcore/lower/codes/keep_float8_products.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/attribute_access.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/lower/quantized_cluster.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/quantization/dequantize_linear.hpp"
#include "libcore/ops/tensor/layout/transpose.hpp"
#include "libcore/optimize/rewrite/rewriter.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

bool is_of_onnx(const Node* node, std::string_view op_type) {
  return node != nullptr && node->domain().empty() && node->op_type() == op_type;
}

bool is_product(const Node& node) {
  return is_of_onnx(&node, "MatMul") || is_of_onnx(&node, "Gemm");
}

bool is_float8(const Value* value) {
  return value != nullptr && value->type().is_tensor() &&
         (value->type().element == DataType::float8e4m3fn ||
          value->type().element == DataType::float8e5m2);
}

bool dequantizes_float8(const Node* node) {
  return is_of_onnx(node, "DequantizeLinear") && is_float8(node->input(0));
}

const Node* producer_of(const Value* value) {
  return value != nullptr ? value->producer() : nullptr;
}

/// Not of constants alone, which are folded with their product.
bool multiplies_float8(const Node& node) {
  if (!is_product(node)) return false;
  const Node* const a = producer_of(node.input(0));
  const Node* const b = producer_of(node.input(1));
  return dequantizes_float8(a) && dequantizes_float8(b) &&
         !(a->input(0)->is_constant() && b->input(0)->is_constant());
}

/// A DequantizeLinear of a matrix of constants, and the Transpose of its result.
struct TransposedCodes {
  Node* transpose = nullptr;
  Node* dequantize = nullptr;
};

std::optional<TransposedCodes> transposed_codes(const Value* value) {
  Node* const transpose = value != nullptr ? value->producer() : nullptr;
  if (!is_of_onnx(transpose, "Transpose")) return std::nullopt;
  Node* const dequantize = only_producer(transpose->input(0));
  if (!dequantizes_float8(dequantize)) return std::nullopt;
  for (std::int64_t i = 0; i < dequantize->input_count(); ++i) {
    const Value* input = dequantize->input(i);
    if (input != nullptr && (!input->is_constant() || !input->has_content())) return std::nullopt;
  }
  const Tensor& codes = dequantize->input(0)->constant();
  const Granularity granularity = read_op<DequantizeLinear>(*dequantize).granularity;
  if (codes.shape().rank() != 2 || read_op<Transpose>(*transpose).order(2)[0] != 1 ||
      granularity.block_size != 0)
    return std::nullopt;
  return TransposedCodes{transpose, dequantize};
}

/// The DequantizeLinear of transposed codes takes the place of the Transpose.
void transpose_codes(Graph& graph, const TransposedCodes& found, MemoryCap* cap) {
  Node& dequantize = *found.dequantize;
  const Granularity granularity = read_op<DequantizeLinear>(dequantize).granularity;
  ClusterEditor editor(graph, *found.transpose, cap);
  std::vector<Value*> inputs = {
      &editor.constant(transposed_bytes(dequantize.input(0)->constant(), cap))};
  for (std::int64_t i = 1; i < dequantize.input_count(); ++i) inputs.push_back(dequantize.input(i));
  Value& result = editor.add("DequantizeLinear", "", inputs, &dequantize);
  if (!granularity.is_per_tensor)
    set_attribute(ClusterEditor::producer(result), "axis", 1 - normalize_axis(granularity.axis, 2));
  editor.finish(result);
}

/// The Cast to float32 that produces `value` of a dequantized float8 in 16 bits, or null.
Node* widening_cast(const Value* value) {
  Node* const cast = value != nullptr ? value->producer() : nullptr;
  if (!is_of_onnx(cast, "Cast") || value->type().element != DataType::float32) return nullptr;
  const Node* const dequantize = producer_of(cast->input(0));
  if (!dequantizes_float8(dequantize)) return nullptr;
  const Value* const scale = dequantize->input(1);
  const bool has_float16_scale =
      scale->type().element == DataType::float16 || scale->type().element == DataType::bfloat16;
  return has_float16_scale && scale->is_constant() && scale->has_content() ? cast : nullptr;
}

/// A DequantizeLinear with a scale of float32 takes the place of the Cast.
void dequantize_widely(Graph& graph, Node& cast, MemoryCap* cap) {
  Node& dequantize = *cast.input(0)->producer();
  const ClusterEditor editor(graph, cast, cap);
  std::vector<Value*> inputs;
  for (std::int64_t i = 0; i < dequantize.input_count(); ++i) inputs.push_back(dequantize.input(i));
  inputs[1] = &editor.constant(convert(inputs[1]->constant(), DataType::float32, {}, cap));
  Value* const outputs[] = {cast.output(0)};
  Node* const before = cast.next();
  std::vector<Attribute> attributes = copy_attributes(dequantize);
  std::string name;
  graph.remove_node(cast);
  if (Value* const narrow = dequantize.output(0); narrow->uses().empty()) {
    name = dequantize.name();
    graph.remove_node(dequantize);
    graph.remove_value(*narrow);
  }
  Node& made = graph.add_node("DequantizeLinear", "", inputs, outputs, name, before);
  for (Attribute& attribute : attributes) {
    if (attribute.name != "output_dtype") made.set_attribute(std::move(attribute));
  }
}

}  // namespace

Float8Products::Float8Products(const LoweringOptions& options) : options_(options) {
  if (!options.providers.empty())
    taker_ = dynamic_cast<const DeviceProvider*>(options.providers.front().get());
}

std::string Float8Products::refusal(const Node& product) const {
  if (options_.pinned) {
    const std::string name = options_.pinned(product);
    if (!name.empty() && name != taker_->name())
      return format("the node is assigned to '{}'", name);
  }
  return taker_->refuses_float8(product);
}

std::int64_t Float8Products::prepare(Graph& graph, MemoryCap* cap,
                                     std::vector<RewriteEvent>& events) const {
  if (!has_taker()) return 0;
  for (Node& node : graph.nodes()) {
    if (!is_product(node)) continue;
    for (const std::int64_t input : {0, 1}) {
      if (const std::optional<TransposedCodes> found = transposed_codes(node.input(input)))
        transpose_codes(graph, *found, cap);
    }
  }
  std::int64_t count = 0;
  for (const Node& node : graph.nodes()) {
    if (!multiplies_float8(node)) continue;
    const std::string reason = refusal(node);
    if (reason.empty()) {
      ++count;
      continue;
    }
    for (std::string& origin : origins_of(node))
      events.push_back(
          {keep_float8_name, std::move(origin),
           format("{}: float8 is multiplied as floats, since {}", taker_->name(), reason)});
  }
  return count;
}

void Float8Products::widen(Graph& graph, MemoryCap* cap) const {
  if (!has_taker()) return;
  for (Node& node : graph.nodes()) {
    if (!is_product(node)) continue;
    for (const std::int64_t input : {0, 1}) {
      Node* const cast = widening_cast(node.input(input));
      if (cast != nullptr) dequantize_widely(graph, *cast, cap);
    }
  }
}

bool Float8Products::keeps(const Node& node) const {
  if (!has_taker() || !dequantizes_float8(&node) || node.output(0)->uses().empty()) return false;
  const auto& uses = node.output(0)->uses();
  return std::all_of(uses.begin(), uses.end(), [this](const Use& use) {
    return use.kind == Use::Kind::input && multiplies_float8(*use.node) && use.index < 2 &&
           refusal(*use.node).empty();
  });
}

}  // namespace ortool

// MatMul with bias before a head split becomes a Gemm between Reshapes.
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rewrite/write_node.hpp"
#include "libcore/optimize/rules/rules.hpp"

namespace ortool {
namespace {

bool is_made_by(const Value* value, std::string_view op_type) {
  const Node* producer = value != nullptr ? value->producer() : nullptr;
  return producer != nullptr && producer->op_type() == op_type;
}

/// The node that masks the attention scores of these heads, or their Softmax without a mask. Null
/// when the heads do not belong to an attention.
const Node* masking_node(const Value& heads) {
  const Node* moved = only_consumer(heads);
  if (moved == nullptr || moved->op_type() != "Transpose") return nullptr;
  const Node* node = only_consumer(*moved->output(0));
  if (node == nullptr || node->op_type() != "MatMul") return nullptr;
  if (is_made_by(node->input(0), "Softmax")) {
    const Node* softmax = node->input(0)->producer();
    const Node* producer = softmax->input(0)->producer();
    const bool is_masked =
        is_made_by(softmax->input(0), "Add") || is_made_by(softmax->input(0), "Where");
    return is_masked ? producer : softmax;
  }
  node = only_consumer(*node->output(0));
  if (node != nullptr && (node->op_type() == "Mul" || node->op_type() == "Div"))
    node = only_consumer(*node->output(0));
  return node;
}

bool are_scores(const Value* value) {
  if (is_made_by(value, "MatMul")) return true;
  return (is_made_by(value, "Mul") || is_made_by(value, "Div")) &&
         (is_made_by(value->producer()->input(0), "MatMul") ||
          is_made_by(value->producer()->input(1), "MatMul"));
}

/// (1 - x) * n, where axes of x are inserted in a single step, or a constant.
bool is_plain_mask(const Value* mask) {
  constexpr int max_mask_steps = 8;
  int unsqueezes = 0;
  for (int step = 0; step < max_mask_steps && mask != nullptr; ++step) {
    const Node* producer = mask->producer();
    if (producer == nullptr) return unsqueezes <= 1;
    const std::string_view op_type = producer->op_type();
    if (op_type == "Unsqueeze") ++unsqueezes;
    if (op_type != "Unsqueeze" && op_type != "Cast" && op_type != "Sub" && op_type != "Mul")
      return false;
    const bool is_second = producer->input(0) != nullptr && producer->input(0)->is_constant();
    mask = producer->input(is_second ? 1 : 0);
  }
  return false;
}

/// onnxruntime's attention fusion expects three biased products whose scores use a mask with two
/// axes inserted one after the other, or a Where.
bool may_become_attention(const Value& heads) {
  const Node* masking = masking_node(heads);
  if (masking == nullptr || masking->op_type() == "Softmax") return false;
  if (masking->op_type() != "Add") return true;
  return !is_plain_mask(masking->input(are_scores(masking->input(0)) ? 1 : 0));
}

}  // namespace

/// A Gemm adds its bias while storing, whereas MatMul and Add need two passes over the result; the
/// Reshapes cost nothing, and the one after exists already.
Rule fuse_matmul_add_reshape() {
  const Pattern product = op("MatMul", {any("x"), constant("weights")}).as("product");
  return {
      .name = "fuse-matmul-add-reshape",
      .summary = "Reshape(MatMul(x, weights) + row) -> Reshape(Gemm(Reshape(x), weights, row))",
      .is_for_files = true,
      .pattern = op("Reshape", {op("Add", {product, constant("row")}), any("shape")}),
      .makes = {"Gemm"},
      .where =
          [](const Match& match) {
            if (match.graph().opset("") < opset_of_broadcasting())
              return no("before opset 7 an attribute controls broadcasting");
            const DataType type = element_of(match["product"]);
            if (type != DataType::float32 && type != DataType::float16 && type != DataType::float64)
              return no("its type is not a float");
            if (rank_of(match["x"]) < 3 || rank_of(match["weights"]) != 2)
              return no("it is not known to be a product of a higher-rank tensor by a matrix");
            const Shape& row = match["row"].constant().shape();
            const std::int64_t columns = match["weights"].constant().shape()[1];
            if (row.rank() == 0 || row.element_count() != columns ||
                row[row.rank() - 1] != columns || row.rank() > rank_of(match["x"]))
              return no("what is added is not a row");
            const Dimensions* result = dimensions_of(match.result());
            if (result == nullptr || !written_shape(nullptr, *result))
              return no("more than one dimension after it is unknown");
            if (may_become_attention(match.result()))
              return no("onnxruntime may fuse the products as they are into Attention");
            return yes();
          },
      .replace = [](Replacement& replacement) -> Value& {
        const Match& match = replacement.match();
        const Shape& weights = match["weights"].constant().shape();
        Value& x = add_reshape(replacement, match["x"], {-1, weights[0]});
        Tensor row = match["row"].constant().reshaped(Shape{weights[1]});
        Value& row_added = match["row"].constant().shape().rank() == 1
                               ? match["row"]
                               : replacement.constant(std::move(row));
        Value& sum = replacement.add("Gemm", {&x, &match["weights"], &row_added});
        return add_reshape(replacement, sum,
                           *written_shape(nullptr, *dimensions_of(match.result())));
      }};
}

}  // namespace ortool

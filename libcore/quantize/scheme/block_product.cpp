// MatMulNBits writer: the new node takes the old one's position and name.
#include "libcore/quantize/scheme/block_product.hpp"

#include <string>
#include <vector>

#include "libcore/base/file/file.hpp"
#include "libcore/graph/algorithms/captured.hpp"
#include "libcore/graph/algorithms/import_domain.hpp"
#include "libcore/graph/attribute_access.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "libcore/quantize/scheme/insert_qdq.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// The transposed matrix as float32.
Tensor transpose_floats(const Tensor& matrix, MemoryCap* cap) {
  const Tensor floats = convert(matrix.aligned(), DataType::float32);
  const std::int64_t rows = matrix.shape()[0];
  const std::int64_t columns = matrix.shape()[1];
  Tensor transposed(DataType::float32, Shape({columns, rows}), cap);
  const std::span<const float> from = floats.data<float>();
  const std::span<float> to = transposed.mutable_data<float>();
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column)
      to[static_cast<std::size_t>(column * rows + row)] =
          from[static_cast<std::size_t>(row * columns + column)];
  }
  return transposed;
}

}  // namespace

bool BlockProductWriter::takes(const PlannedNode& planned) {
  Node& node = *planned.node;
  if (planned.weight_input != 1) return false;
  const Tensor& weights = constant_behind(node.input(1))->constant();
  if (weights.shape().rank() != 2 || weights.type() == DataType::float64) return false;
  if (node.op_type() == "MatMul") return true;
  if (node.op_type() != "Gemm") return false;
  const auto gemm = read_op<Gemm>(node);
  return !gemm.transpose_a && gemm.alpha == 1.0F && (gemm.beta == 1.0F || node.input(2) == nullptr);
}

const BlockProductWriter::Stored& BlockProductWriter::store(Value& weights, bool is_transposed) {
  Stored& stored = stored_[{&weights, is_transposed}];
  if (stored.codes != nullptr) return stored;
  const Tensor& matrix = weights.constant();
  BlockOptions options = options_;
  options.scale_type = matrix.type();
  BlockWeights made =
      quantize_blocks(is_transposed ? transpose_floats(matrix, cap_) : matrix, options, cap_);
  drop_pages({matrix.bytes(), static_cast<std::size_t>(matrix.size_bytes())});
  Graph& graph = weights.graph();
  stored.k = made.k;
  stored.n = made.n;
  stored.codes = &graph.add_constant("", kept(std::move(made.packed), store_));
  stored.scales = &graph.add_constant("", convert(made.scales, matrix.type()));
  if (!options_.is_symmetric)
    stored.zero_points = &graph.add_constant("", std::move(made.zero_points));
  return stored;
}

void BlockProductWriter::write(const PlannedNode& planned) {
  Node& node = *planned.node;
  Graph& graph = node.graph();
  const bool is_gemm = node.op_type() == "Gemm";
  const bool is_transposed = is_gemm && read_op<Gemm>(node).transpose_b;
  const Stored& stored = store(*constant_behind(node.input(1)), is_transposed);
  // Captures disappear with their last use, the captured values do not.
  Value& left = captured_root(*node.input(0));
  Value* const bias = is_gemm ? node.input(2) : nullptr;
  Value* const added = bias != nullptr ? &captured_root(*bias) : nullptr;
  Value& result = *node.output(0);
  const std::string name = node.has_name_of_its_own() ? std::string(node.name()) : std::string();
  Node* const before = node.next();
  if (graph.opset(contrib_domain) == 0) import_domain(graph, contrib_domain, 1);
  graph.remove_node(node);
  std::vector<Value*> inputs = {&seen_in(graph, left), &seen_in(graph, *stored.codes),
                                &seen_in(graph, *stored.scales)};
  if (stored.zero_points != nullptr) inputs.push_back(&seen_in(graph, *stored.zero_points));
  Value* product = &result;
  if (added != nullptr) product = &graph.add_value("", result.type());
  Value* const outputs[] = {product};
  Node& made = graph.add_node("MatMulNBits", contrib_domain, inputs, outputs, name, before);
  set_attribute(made, "K", stored.k);
  set_attribute(made, "N", stored.n);
  set_attribute(made, "bits", options_.bits);
  set_attribute(made, "block_size", options_.block_size);
  if (added == nullptr) return;
  Value* const addends[] = {product, &seen_in(graph, *added)};
  Value* const sums[] = {&result};
  graph.add_node("Add", "", addends, sums, {}, before);
}

}  // namespace ortool

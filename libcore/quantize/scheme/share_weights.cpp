// Tied weights: each of the few tables is compared with matrices of its transposed shape.
#include "libcore/quantize/scheme/share_weights.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/quantize/scheme/node_writer.hpp"

namespace ortool {
namespace {

/// Smaller matrices save nothing, and may be equal by chance.
constexpr std::int64_t min_shared_elements = 4096;

bool is_int8_matrix(const Value& value) {
  if (!value.is_constant()) return false;
  const Tensor& tensor = value.constant();
  return tensor.type() == DataType::int8 && tensor.shape().rank() == 2 &&
         tensor.element_count() >= min_shared_elements;
}

/// Whether each element of `turned` is within one of its counterpart in `table`, and at least half
/// are equal.
bool is_transposed(const Tensor& table, const Tensor& transposed) {
  const std::int64_t rows = table.shape()[0];
  const std::int64_t columns = table.shape()[1];
  if (transposed.shape() != Shape({columns, rows})) return false;
  const auto* a = reinterpret_cast<const std::int8_t*>(table.bytes());
  const auto* b = reinterpret_cast<const std::int8_t*>(transposed.bytes());
  std::int64_t moved = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const int distance = std::abs(a[row * columns + column] - b[column * rows + row]);
      if (distance > 1) return false;
      moved += distance;
    }
  }
  return moved * 2 <= rows * columns;
}

bool is_gathered(const Value& value) {
  return std::any_of(value.uses().begin(), value.uses().end(), [](const Use& use) {
    return use.kind == Use::Kind::input && use.index == 0 && use.node->op_type() == "Gather";
  });
}

bool is_read_here_alone(const Value& value) {
  return std::all_of(value.uses().begin(), value.uses().end(),
                     [](const Use& use) { return use.kind == Use::Kind::input; });
}

void replace_by_transposed(Graph& graph, Value& table, Value& matrix) {
  const NodeWriter writer(graph, graph.first_node());
  Value& transposed = writer.add("Transpose", {&table});
  Attribute order;
  order.name = "perm";
  order.value = std::vector<std::int64_t>{1, 0};
  transposed.producer()->set_attribute(std::move(order));
  transposed.set_type(matrix.type());
  graph.replace_uses(matrix, transposed);
  graph.remove_value(matrix);
}

}  // namespace

std::int64_t share_transposed_weights(Model& model) {
  Graph& graph = *model.graph;
  std::vector<Value*> tables;
  std::vector<Value*> matrices;
  for (Value* value : graph.values()) {
    if (!is_int8_matrix(*value)) continue;
    (is_gathered(*value) ? tables : matrices).push_back(value);
  }
  std::int64_t shared = 0;
  for (Value* table : tables) {
    const auto found = std::find_if(matrices.begin(), matrices.end(), [&](const Value* matrix) {
      return is_read_here_alone(*matrix) && is_transposed(table->constant(), matrix->constant());
    });
    if (found == matrices.end()) continue;
    replace_by_transposed(graph, *table, **found);
    matrices.erase(found);
    ++shared;
  }
  return shared;
}

}  // namespace ortool

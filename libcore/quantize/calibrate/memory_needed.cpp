// Memory estimate: adds up the peak sizes of sessions, records and quantized weights.
#include "libcore/quantize/calibrate/memory_needed.hpp"

#include <algorithm>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/inspect/activation_memory.hpp"
#include "libcore/quantize/calibrate/collect.hpp"
#include "libcore/quantize/calibrate/input_moments.hpp"

namespace ortool {
namespace {

/// Quantized weights kept in memory until the model is written; the rest is spilled to disk.
constexpr std::int64_t max_weight_bytes = std::int64_t{16} << 20;
/// Tiles of an unpacked matrix that are copied and packed during multiplication.
constexpr std::int64_t max_pieces = std::int64_t{16} << 20;

struct Weights {
  std::int64_t matrices = 0;  ///< float32 bytes of matrices that sessions may leave unpacked
  std::int64_t others = 0;    ///< of all other constants, which kernels keep packed
  std::int64_t largest = 0;   ///< of one constant
  std::int64_t moments = 0;   ///< bytes of the moments of layer inputs
};

/// The size of a layer's input moments, in diagonal blocks. An upper bound: it does not examine
/// which axis of the matrix the inputs are on.
std::int64_t moment_bytes(const Shape& shape) {
  const std::int64_t elements = shape.element_count();
  if (shape.rank() < 2 || elements == 0) return 0;
  const std::int64_t last = shape[shape.rank() - 1];
  const std::int64_t columns = std::max(elements / shape[0], elements / last);
  return columns * std::min(columns, InputMoments::max_columns) * 8;
}

bool is_product(const Node& node) {
  return node.domain().empty() && (node.op_type() == "MatMul" || node.op_type() == "Gemm");
}

Weights weights_of(const Model& model) {
  Weights result;
  for (const Graph* graph : graphs_in(model)) {
    for (const Value* value : graph->values()) {
      if (!value->is_constant() || !is_floating_point(value->constant().type())) continue;
      const std::int64_t bytes = value->constant().element_count() * 4;
      const auto is_read_by_product = [](const Use& use) {
        return use.kind == Use::Kind::input && is_product(*use.node);
      };
      const bool is_matrix =
          std::all_of(value->uses().begin(), value->uses().end(), is_read_by_product);
      (is_matrix ? result.matrices : result.others) += bytes;
      result.largest = std::max(result.largest, bytes);
      result.moments += moment_bytes(value->constant().shape());
    }
  }
  return result;
}

}  // namespace

std::int64_t memory_needed(const Model& model, const QuantizeWork& work) {
  const Weights weights = weights_of(model);
  const std::int64_t all = weights.matrices + weights.others;
  // One tensor as floats, quantized, and transposed.
  std::int64_t bytes = 3 * weights.largest + std::min(max_weight_bytes, all / 4) + (1 << 20);
  if (!work.runs_models) return bytes;
  const std::int64_t activations = peak_activation_memory(model).bytes.value().value_or(0);
  // Winograd-transformed convolution weights are 16/9 as large; moments need windows next to
  // values.
  bytes += work.records * bytes_a_record + 2 * (2 * weights.others) + 8 * activations +
           std::min(max_pieces, 2 * weights.matrices);
  // Moments for two sets of scales exist at the same time.
  if (work.tries_variants) bytes = 2 * bytes + 2 * weights.moments;
  // Sessions keep up to a quarter of the limit as packed weights.
  return bytes + std::min(weights.matrices, bytes / 3);
}

}  // namespace ortool

// MatMulNBits packing: columns of unsigned values; scales are repeated for each block.
#include "libcore/lower/codes/keep_quantized_weights.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "libcore/graph/algorithms/import_domain.hpp"
#include "libcore/graph/attribute_access.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/lower/quantized_cluster.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "libcore/ops/quantization/dequantize_linear.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Smaller matrices stay in the caches as floats.
constexpr std::int64_t min_elements = 4096;

constexpr std::int64_t min_block = 16;
constexpr std::int64_t largest_block = 1024;

/// The constants of a DequantizeLinear: a quantized matrix with its scales.
struct StoredMatrix {
  const Tensor* codes;
  const Tensor* scales;
  const Tensor* zero_points;  ///< null: zero
  bool is_transposed;         ///< column-major
  std::int64_t k;
  std::int64_t n;
  std::int64_t block;  ///< along k; 0: none
  int flip;            ///< XOR mask that makes values unsigned: the sign bit of signed types

  std::int64_t bits() const { return element_bits(codes->type()); }
  /// As an unsigned value.
  std::uint8_t code_at(std::int64_t row, std::int64_t column) const {
    const std::int64_t index = is_transposed ? column * k + row : row * n + column;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(codes->bytes());
    const int code = bits() == 8 ? bytes[index] : bytes[index / 2] >> (index % 2 * 4) & 15;
    return static_cast<std::uint8_t>(code ^ flip);
  }
  /// The index of the element's scale and zero point.
  std::int64_t number_at(std::int64_t row, std::int64_t column) const {
    if (scales->element_count() == 1) return 0;
    if (block == 0) return column;
    const std::int64_t blocks = (k + block - 1) / block;
    return is_transposed ? column * blocks + row / block : row / block * n + column;
  }
};

bool is_code_type(DataType type) {
  return type == DataType::int8 || type == DataType::uint8 || type == DataType::int4 ||
         type == DataType::uint4;
}

bool has_sign(DataType type) {
  return type == DataType::int8 || type == DataType::int4;
}

const Tensor* constant_input(const Node& node, std::int64_t input) {
  const Value* value = node.input(input);
  return value != nullptr && value->is_constant() ? &value->constant() : nullptr;
}

bool is_block_size(std::int64_t size) {
  return size >= min_block && (size & (size - 1)) == 0;
}

std::optional<StoredMatrix> read_matrix(const Value* value, bool is_transposed) {
  const Node* node = value != nullptr ? value->producer() : nullptr;
  if (node == nullptr || !node->domain().empty() || node->op_type() != "DequantizeLinear" ||
      !value->type().is_tensor() || value->type().element != DataType::float32)
    return std::nullopt;
  StoredMatrix matrix = {};
  matrix.codes = constant_input(*node, 0);
  matrix.scales = constant_input(*node, 1);
  matrix.zero_points = constant_input(*node, 2);
  if (matrix.codes == nullptr || matrix.scales == nullptr ||
      (node->input(2) != nullptr && matrix.zero_points == nullptr))
    return std::nullopt;
  const Shape& shape = matrix.codes->shape();
  if (!is_code_type(matrix.codes->type()) || matrix.scales->type() != DataType::float32 ||
      shape.rank() != 2 || shape.element_count() < min_elements)
    return std::nullopt;
  matrix.flip = has_sign(matrix.codes->type()) ? 1 << (matrix.bits() - 1) : 0;
  matrix.is_transposed = is_transposed;
  matrix.k = shape[is_transposed ? 1 : 0];
  matrix.n = shape[is_transposed ? 0 : 1];
  if (matrix.scales->element_count() == 1) return matrix;
  const Granularity granularity = read_op<DequantizeLinear>(*node).granularity;
  const std::int64_t axis = normalize_axis(granularity.axis, 2);
  const std::int64_t along_k = is_transposed ? 1 : 0;
  if (granularity.block_size == 0) {
    const bool is_by_column = axis != along_k && matrix.scales->element_count() == matrix.n;
    return is_by_column ? std::optional(matrix) : std::nullopt;
  }
  matrix.block = granularity.block_size;
  if (axis != along_k || !is_block_size(matrix.block)) return std::nullopt;
  return matrix;
}

/// The largest block size with little padding after the last row.
std::int64_t block_for(const StoredMatrix& matrix) {
  if (matrix.block > 0) return matrix.block;
  std::int64_t size = largest_block;
  while (size > min_block && (size - matrix.k % size) % size * 32 > matrix.k) size /= 2;
  return size;
}

/// The operands of MatMulNBits.
struct BlockOperands {
  Tensor codes;
  Tensor scales;
  std::optional<Tensor> zero_points;
};

/// Packs unsigned values of 4 or 8 bits consecutively.
class PackedWriter {
 public:
  PackedWriter(Tensor& tensor, std::int64_t bits)
      : to_(reinterpret_cast<std::uint8_t*>(tensor.mutable_bytes())), bits_(bits) {
    std::memset(to_, 0, static_cast<std::size_t>(tensor.size_bytes()));
  }

  void set(std::int64_t byte, std::int64_t index, std::int64_t code) {
    const std::int64_t at = byte + index * bits_ / 8;
    const std::int64_t shift = bits_ == 4 ? index % 2 * 4 : 0;
    to_[at] = static_cast<std::uint8_t>(to_[at] | code << shift);
  }

 private:
  std::uint8_t* to_;
  std::int64_t bits_;
};

BlockOperands turn(const StoredMatrix& matrix, std::int64_t block, MemoryCap* cap) {
  const std::int64_t blocks = (matrix.k + block - 1) / block;
  const std::int64_t bits = matrix.bits();
  const std::int64_t block_bytes = block * bits / 8;
  const std::int64_t zero_bytes = (blocks * bits + 7) / 8;
  BlockOperands made{Tensor(DataType::uint8, Shape({matrix.n, blocks, block_bytes}), cap),
                     Tensor(DataType::float32, Shape({matrix.n * blocks}), cap), std::nullopt};
  PackedWriter codes(made.codes, bits);
  // Square tiles, so that the cache lines read and written stay in the caches.
  constexpr std::int64_t square = 64;
  for (std::int64_t row = 0; row < matrix.k; row += square) {
    for (std::int64_t column = 0; column < matrix.n; column += square) {
      for (std::int64_t i = row; i < std::min(matrix.k, row + square); ++i) {
        for (std::int64_t j = column; j < std::min(matrix.n, column + square); ++j) {
          codes.set((j * blocks + i / block) * block_bytes, i % block, matrix.code_at(i, j));
        }
      }
    }
  }
  Tensor zeros(DataType::uint8, Shape({matrix.n * zero_bytes}), cap);
  PackedWriter zero_codes(zeros, bits);
  bool has_zeros = false;
  for (std::int64_t column = 0; column < matrix.n; ++column) {
    for (std::int64_t i = 0; i < blocks; ++i) {
      const std::int64_t number = matrix.number_at(i * block, column);
      made.scales.mutable_data<float>()[static_cast<std::size_t>(column * blocks + i)] =
          static_cast<float>(element_as_double(*matrix.scales, number));
      const std::int64_t zero =
          matrix.flip +
          (matrix.zero_points != nullptr ? element_as_int64(*matrix.zero_points, number) : 0);
      zero_codes.set(column * zero_bytes, i, zero);
      has_zeros = has_zeros || zero != std::int64_t{1} << (bits - 1);
    }
  }
  if (has_zeros) made.zero_points = std::move(zeros);
  return made;
}

/// Whether a Gemm is just a product and a sum.
bool is_plain(const Gemm& gemm, const Node& node) {
  return !gemm.transpose_a && gemm.alpha == 1.0F && (gemm.beta == 1.0F || node.input(2) == nullptr);
}

bool keep_product(const ClusterEditor& editor, Node& node, MemoryCap* cap, Value*& result) {
  const bool is_gemm = node.op_type() == "Gemm";
  if (!node.domain().empty() || (!is_gemm && node.op_type() != "MatMul")) return false;
  const Gemm gemm = is_gemm ? read_op<Gemm>(node) : Gemm{};
  if (is_gemm && !is_plain(gemm, node)) return false;
  const std::optional<StoredMatrix> matrix =
      read_matrix(node.input(1), is_gemm && gemm.transpose_b);
  const Value* left = node.input(0);
  if (!matrix || left->is_constant() || !left->type().is_tensor() ||
      left->type().element != DataType::float32 || !left->type().shape)
    return false;
  const std::int64_t block = block_for(*matrix);
  BlockOperands operands = turn(*matrix, block, cap);
  std::vector<Value*> inputs = {node.input(0), &editor.constant(std::move(operands.codes)),
                                &editor.constant(std::move(operands.scales))};
  if (operands.zero_points) inputs.push_back(&editor.constant(std::move(*operands.zero_points)));
  if (editor.graph().opset(contrib_domain) == 0) import_domain(editor.graph(), contrib_domain, 1);
  result = &editor.add("MatMulNBits", contrib_domain, inputs);
  Node& made = ClusterEditor::producer(*result);
  set_attribute(made, "K", matrix->k);
  set_attribute(made, "N", matrix->n);
  set_attribute(made, "bits", matrix->bits());
  set_attribute(made, "block_size", block);
  if (is_gemm && node.input(2) != nullptr) result = &editor.add("Add", "", {result, node.input(2)});
  return true;
}

}  // namespace

std::int64_t keep_quantized_weights(Graph& graph, MemoryCap* cap) {
  std::int64_t count = 0;
  for (Node& node : graph.nodes()) {
    ClusterEditor editor(graph, node, cap);
    Value* result = nullptr;
    if (!keep_product(editor, node, cap, result)) continue;
    editor.finish(*result);
    ++count;
  }
  return count;
}

}  // namespace ortool

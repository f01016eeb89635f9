// Decompositions of operators with block-quantized weights: a norm with several MatMulNBits, and
// quantization of the left operand to float8.
#include <cstdint>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/weights/matmul_n_bits_fusions.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

constexpr std::int64_t skip_input = 1;
constexpr std::int64_t norm_input = 2;
constexpr std::int64_t first_matrix = 3;

/// A + skip, and its norm where there is one.
struct NormalizedInput {
  Value* sum;
  Value* norm;
};

NormalizedInput normalized_input(Decomposition& out, float epsilon) {
  NormalizedInput made = {out.input(0), nullptr};
  if (out.input(skip_input) != nullptr)
    made.sum = &out.add("Add", {out.input(0), out.input(skip_input)});
  made.norm = made.sum;
  if (out.input(norm_input) != nullptr) {
    made.norm = &out.add_own("RMSNormalization", {made.sum, out.input(norm_input)},
                             plain_attributes({{"epsilon", epsilon}}));
  }
  return made;
}

/// The product with matrix `index`, which has codes, scales and maybe a bias.
Value& block_product(Decomposition& out, Value& x, const BlockOperands& blocks,
                     std::int64_t accuracy_level, std::int64_t index) {
  const std::int64_t first = first_matrix + 3 * index;
  return out.add(
      "MatMulNBits",
      {&x, out.input(first), out.input(first + 1), nullptr, nullptr, out.input(first + 2)},
      plain_attributes({{"K", blocks.k},
                        {"N", blocks.n},
                        {"bits", blocks.bits},
                        {"block_size", blocks.block_size},
                        {"accuracy_level", accuracy_level}}),
      contrib_domain);
}

/// The sum as an output of the node.
Value* sum_output(Decomposition& out, const NormalizedInput& made, std::int64_t index) {
  if (!out.has_output(index)) return nullptr;
  return made.sum == out.input(0) ? &out.add("Identity", {made.sum}) : made.sum;
}

Results matmul_n_bits_mlp(Decomposition& out) {
  const auto op = read_op<MatMulNBitsMlp>(out.node());
  const NormalizedInput x = normalized_input(out, op.epsilon);
  Value& gate = block_product(out, *x.norm, op.blocks, op.accuracy_level, 0);
  Value& up = block_product(out, *x.norm, op.blocks, op.accuracy_level, 1);
  Value& y = out.add("Mul", {&out.add_own("Swish", {&gate}), &up});
  return {&y, sum_output(out, x, 1)};
}

Results matmul_n_bits_qkv(Decomposition& out) {
  const auto op = read_op<MatMulNBitsQkv>(out.node());
  const NormalizedInput x = normalized_input(out, op.epsilon);
  BlockOperands kv = op.blocks;
  kv.n = op.kv_columns;
  Results results;
  for (std::int64_t i = 0; i < 3; ++i) {
    const BlockOperands& blocks = i == 0 ? op.blocks : kv;
    results.push_back(&block_product(out, *x.norm, blocks, op.accuracy_level, i));
  }
  results.push_back(sum_output(out, x, 3));
  return results;
}

/// A as it is after quantization to float8e4m3fn and back, multiplied by the same operator.
Results matmul_fp8_weight(Decomposition& out) {
  constexpr std::int64_t scale_input = 3;
  Value* scale = out.input(scale_input);
  const DataType type = out.element(0);
  if (scale == nullptr || type == DataType::undefined) return {};
  const auto cast = [&](Value& x, DataType to) -> Value& {
    return out.add_own("Cast", {&x}, plain_attributes({{"to", static_cast<std::int64_t>(to)}}));
  };
  constexpr auto float8 = static_cast<std::int64_t>(DataType::float8e4m3fn);
  Value& codes = out.add_own("QuantizeLinear", {&cast(*out.input(0), DataType::float32), scale},
                             plain_attributes({{"output_dtype", float8}}));
  Value& a = cast(out.add_own("DequantizeLinear", {&codes, scale}), type);
  return {&out.add("MatMulBlockQuantizedFp8Weight",
                   {&a, out.input(1), out.input(2), nullptr, out.input(4)}, out.attributes_but({}),
                   contrib_domain)};
}

}  // namespace

std::span<const DecompositionRow> weights_decompositions() {
  static constexpr DecompositionRow rows[] = {
      {"MatMulBlockQuantizedFp8Weight", matmul_fp8_weight},
      {"MatMulNBitsMlp", matmul_n_bits_mlp, 2},
      {"MatMulNBitsQkv", matmul_n_bits_qkv, 4},
  };
  return rows;
}

}  // namespace ortool

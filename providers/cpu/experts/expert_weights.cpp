// Products with the matrices of experts: the float32 GEMM, or those with block-quantized weights.
#include "providers/cpu/experts/expert_weights.hpp"

#include <optional>

#include "kernels/cpu/gemm/f32/gemm.hpp"
#include "kernels/cpu/gemm/weight_only/matmul_nbits_int8.hpp"
#include "providers/cpu/support/float_constant.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t aligned_bytes(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

BlockMatMulSizes block_sizes(const ExpertLayout& layout) {
  return {layout.n, layout.k, layout.block_size, layout.bits, layout.has_zeros};
}

}  // namespace

/// Where the weights of all experts are.
struct ExpertWeights::Operands {
  const std::byte* weights;
  const float* scales;
  const std::uint8_t* zeros;
};

ExpertWeights::ExpertWeights(const ExpertLayout& layout, const ExpertInputs& inputs, Isa isa,
                             int max_threads)
    : layout_(layout), inputs_(inputs), isa_(isa), max_threads_(max_threads) {}

bool ExpertWeights::is_int8() const {
  // Blocks fill whole lines of the packed codes.
  const bool is_whole = layout_.block_size * layout_.bits % 32 == 0 && layout_.block_size % 16 == 0;
  return layout_.allows_int8 && is_whole && layout_.block_size <= max_int8_block;
}

std::int64_t ExpertWeights::matrix_bytes() const {
  if (layout_.bits == 0) return aligned_bytes(packed_b_bytes(layout_.k, layout_.n, isa_));
  const BlockMatMulSizes sizes = block_sizes(layout_);
  return aligned_bytes(is_int8() ? packed_int8_blocks_bytes(sizes)
                                 : packed_block_matrix_bytes(sizes));
}

std::int64_t ExpertWeights::product_bytes(std::int64_t rows) const {
  if (layout_.bits == 0) return gemm_workspace_bytes({rows, layout_.n, layout_.k}, isa_);
  const BlockMatMulSizes sizes = block_sizes(layout_);
  return is_int8() ? int8_block_matmul_workspace_bytes(rows, sizes, isa_, max_threads_)
                   : block_matmul_workspace_bytes(rows, sizes, isa_, max_threads_);
}

void ExpertWeights::pack_expert(std::int64_t expert, const Operands& operands, std::byte* zeros,
                                std::byte* out, Workers& workers) const {
  const std::int64_t elements = layout_.n * layout_.k;
  if (layout_.bits == 0) {
    const auto* from = reinterpret_cast<const float*>(operands.weights) + expert * elements;
    pack_b(layout_.k, layout_.n, {from, layout_.k, true}, isa_, reinterpret_cast<float*>(out),
           workers);
    return;
  }
  const BlockMatMulSizes sizes = block_sizes(layout_);
  const std::int64_t blocks = sizes.blocks();
  BlockMatrix matrix = {};
  matrix.codes = reinterpret_cast<const std::uint8_t*>(operands.weights) +
                 expert * elements * layout_.bits / 8;
  matrix.scales = operands.scales + expert * layout_.n * blocks;
  if (layout_.has_zeros) {
    const bool has_rows = layout_.has_row_zeros;
    const std::int64_t row_bytes = (blocks * layout_.bits + 7) / 8;
    const std::int64_t bytes =
        has_rows ? layout_.n * row_bytes : (layout_.n * layout_.bits + 7) / 8;
    matrix.zero_points = operands.zeros + expert * bytes;
    if (!has_rows) {
      // With one scale for each row, the rows' zero points are packed together.
      auto* const each = reinterpret_cast<std::uint8_t*>(zeros);
      for (std::int64_t i = 0; i < layout_.n; ++i) {
        each[i] = static_cast<std::uint8_t>(matrix.zero_points[i * layout_.bits / 8] >>
                                                (i * layout_.bits % 8) &
                                            ((1 << layout_.bits) - 1));
      }
      matrix.zero_points = each;
    }
  }
  is_int8() ? pack_int8_blocks(sizes, matrix, out) : pack_block_matrix(sizes, matrix, out);
}

void ExpertWeights::pack(const NodeView& view, const CompileContext& context) {
  const auto constant = [&](std::size_t input) {
    return input < 64 ? view.constant(static_cast<std::int64_t>(input)) : nullptr;
  };
  const Tensor* weights = constant(inputs_.weights);
  const Tensor* zeros = constant(inputs_.zeros);
  if (weights == nullptr || (layout_.has_zeros && zeros == nullptr)) return;
  const Tensor* numbers = layout_.bits > 0 ? constant(inputs_.scales) : weights;
  if (numbers == nullptr || !is_float_like(numbers->type())) return;
  const auto fill = [&](std::byte* packed) {
    AlignedBuffer scratch(aligned_bytes(layout_.n + 64), context.cap, "zero points");
    const Tensor converted = float_tensor(*numbers, context.cap);
    const float* floats = converted.data<float>().data();
    const Operands operands = {
        layout_.bits > 0 ? weights->bytes() : reinterpret_cast<const std::byte*>(floats), floats,
        zeros != nullptr ? reinterpret_cast<const std::uint8_t*>(zeros->bytes()) : nullptr};
    Workers alone;
    for (std::int64_t expert = 0; expert < layout_.experts; ++expert)
      pack_expert(expert, operands, scratch.data(), packed + expert * matrix_bytes(), alone);
  };
  packed_ = context.pack(layout_.experts * matrix_bytes(),
                         {static_cast<std::int64_t>(isa_), layout_.bits, is_int8() ? 1 : 0}, fill);
}

std::int64_t ExpertWeights::workspace_bytes(std::int64_t rows) const {
  const std::int64_t packing = is_packed() ? 0 : matrix_bytes() + aligned_bytes(layout_.n);
  return packing + aligned_bytes(product_bytes(rows));
}

void ExpertWeights::multiply(std::int64_t expert, std::int64_t rows, const float* a, float* out,
                             Activation activation, const RunContext& run, std::byte* workspace,
                             Workers& workers) const {
  const std::byte* matrix = packed_.data() + expert * matrix_bytes();
  if (!is_packed()) {
    const Operands operands = {run.input<std::byte>(inputs_.weights),
                               run.input<float>(inputs_.scales),
                               run.input<std::uint8_t>(inputs_.zeros)};
    pack_expert(expert, operands, workspace + matrix_bytes(), workspace, workers);
    matrix = workspace;
    workspace += matrix_bytes() + aligned_bytes(layout_.n);
  }
  Epilogue epilogue;
  const auto* bias = run.input<float>(inputs_.bias);
  if (bias != nullptr) {
    epilogue.addend = Addend::per_column;
    epilogue.added = bias + expert * layout_.n;
  }
  epilogue.activation = activation;
  epilogue.low = activation == Activation::swish ? 1.0F : 0.0F;
  if (layout_.bits == 0) {
    gemm({rows, layout_.n, layout_.k}, {a, layout_.k, false},
         reinterpret_cast<const float*>(matrix), out, layout_.n, epilogue, isa_, workspace,
         workers);
    return;
  }
  const auto product = is_int8() ? int8_block_matmul : block_matmul;
  product(rows, block_sizes(layout_), a, matrix, out, epilogue, isa_, workspace, workers);
}

}  // namespace ortool::cpu

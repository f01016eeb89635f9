// Kernel rows of com.microsoft.MatMulNBits with 4 and 8 bits.
#include "providers/cpu/weight_blocks.hpp"

#include <optional>

#include "kernels/cpu/matmul_blocks.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/vendor/matmul_n_bits.hpp"
#include "libcore/runtime/workspace_layout.hpp"
#include "providers/cpu/accepts.hpp"
#include "providers/cpu/float_constant.hpp"
#include "providers/cpu/half_kernel.hpp"
#include "providers/cpu/join_rows.hpp"
#include "providers/cpu/level_rows.hpp"

namespace ortool::cpu {
namespace {

constexpr std::size_t levels_input = 1;
constexpr std::size_t scales_input = 2;
constexpr std::size_t zeros_input = 3;
constexpr std::size_t bias_input = 5;

/// What is decided once a node.
struct CompiledBlockMatMul {
  BlockMatMulSizes sizes;
  Isa isa = Isa::baseline;
  bool has_bias = false;
  AlignedBuffer packed;  ///< empty when the weights come at run time
};

class BlockMatMulPrepared : public Prepared {
 public:
  BlockMatMulPrepared(const CompiledBlockMatMul& matmul, std::int64_t rows)
      : matmul_(matmul), rows_(rows) {
    if (matmul.packed.size_bytes() == 0)
      packed_space_ = layout_.add(packed_block_matrix_bytes(matmul.sizes));
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }

  void run(const RunContext& context) const override {
    const BlockMatMulSizes& sizes = matmul_.sizes;
    const std::byte* packed = matmul_.packed.data();
    if (matmul_.packed.size_bytes() == 0) {
      std::byte* own = context.workspace() + packed_space_;
      const BlockMatrix matrix{
          context.input<std::uint8_t>(levels_input), context.input<float>(scales_input),
          sizes.has_zeros ? context.input<std::uint8_t>(zeros_input) : nullptr};
      pack_block_matrix(sizes, matrix, own);
      packed = own;
    }
    float* out = context.output<float>(0);
    block_matmul(rows_, sizes, context.input<float>(0), packed, out, matmul_.isa,
                 context.workers());
    if (!matmul_.has_bias) return;
    const auto* bias = context.input<float>(bias_input);
    for (std::int64_t row = 0; row < rows_; ++row) {
      for (std::int64_t i = 0; i < sizes.n; ++i) out[row * sizes.n + i] += bias[i];
    }
  }

 private:
  const CompiledBlockMatMul& matmul_;
  std::int64_t rows_;
  WorkspaceLayout layout_;
  std::int64_t packed_space_ = 0;
};

class BlockMatMulKernel : public Kernel {
 public:
  BlockMatMulKernel(const NodeView& view, const KernelRow& row, const CompileContext& context)
      : name_(row.name) {
    const auto op = read_op<MatMulNBits>(view.node());
    matmul_.isa = row.isa;
    matmul_.sizes = {op.n, op.k, op.block_size, static_cast<int>(op.bits),
                     view.node().input(zeros_input) != nullptr};
    matmul_.has_bias = view.node().input(bias_input) != nullptr;
    pack(view, context);
  }

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    const Shape& a = context.inputs[0].shape;
    return std::make_unique<const BlockMatMulPrepared>(matmul_, a.product(0, a.rank() - 1));
  }
  bool needs_input(std::size_t index) const override {
    return matmul_.packed.size_bytes() == 0 || index == 0 || index == bias_input;
  }
  std::int64_t packed_bytes() const override { return matmul_.packed.size_bytes(); }

 private:
  void pack(const NodeView& view, const CompileContext& context) {
    const Tensor* levels = view.constant(levels_input);
    const std::optional<Tensor> scales =
        float_constant(view.node().input(scales_input), context.cap);
    const Tensor* zeros = matmul_.sizes.has_zeros ? view.constant(zeros_input) : nullptr;
    if (levels == nullptr || !scales || (matmul_.sizes.has_zeros && zeros == nullptr)) return;
    matmul_.packed =
        AlignedBuffer(packed_block_matrix_bytes(matmul_.sizes), context.cap, "packed weights");
    const BlockMatrix matrix{
        reinterpret_cast<const std::uint8_t*>(levels->bytes()), scales->data<float>().data(),
        zeros != nullptr ? reinterpret_cast<const std::uint8_t*>(zeros->bytes()) : nullptr};
    pack_block_matrix(matmul_.sizes, matrix, matmul_.packed.data());
  }

  std::string_view name_;
  CompiledBlockMatMul matmul_;
};

/// 4 or 8 bits, zero points of bytes, blocks in the order of k.
bool has_plain_blocks(const NodeView& view) {
  const Node& node = view.node();
  const std::int64_t bits = read_op<MatMulNBits>(node).bits;
  const bool has_order = node.input(4) != nullptr;
  const bool has_other_zeros =
      node.input(zeros_input) != nullptr && view.input_type(zeros_input) != DataType::uint8;
  return (bits == 4 || bits == 8) && !has_order && !has_other_zeros;
}

bool accepts_float_blocks(const NodeView& view) {
  return accepts_float32(view) && has_plain_blocks(view);
}

bool accepts_half_blocks(const NodeView& view) {
  return accepts_halves(view) && has_plain_blocks(view);
}

KernelPtr compile_block_matmul(const NodeView& view, const KernelRow& row,
                               const CompileContext& context) {
  return std::make_unique<const BlockMatMulKernel>(view, row, context);
}

KernelPtr compile_half_block_matmul(const NodeView& view, const KernelRow& row,
                                    const CompileContext& context) {
  return make_half_kernel(compile_block_matmul(view, row, context), row.isa);
}

constexpr const char* contrib_domain = "com.microsoft";

constexpr auto matmul_n_bits_rows = join_rows(
    level_rows<"matmul_blocks">("MatMulNBits", "float32 with 4 and 8 bits", accepts_float_blocks,
                                compile_block_matmul, contrib_domain),
    level_rows<"matmul_blocks_half">("MatMulNBits", "float16, bfloat16 with 4 and 8 bits",
                                     accepts_half_blocks, compile_half_block_matmul,
                                     contrib_domain));

}  // namespace

std::span<const KernelRow> matmul_n_bits_kernels() {
  return matmul_n_bits_rows;
}

}  // namespace ortool::cpu

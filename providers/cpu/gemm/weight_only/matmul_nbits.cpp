// Kernels for com.microsoft.MatMulNBits with blocks in the order of k, and for MatMulBnb4 whose
// constant blocks are so, too.
#include "kernels/cpu/gemm/weight_only/matmul_nbits.hpp"

#include <optional>
#include <utility>

#include "kernels/cpu/elementwise/unfused_epilogue.hpp"
#include "kernels/cpu/gemm/weight_only/matmul_nbits_int8.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/weights/bnb4_values.hpp"
#include "libcore/ops/contrib/weights/matmul_bnb4.hpp"
#include "libcore/ops/contrib/weights/matmul_n_bits.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/provider/fold_epilogue.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/float_constant.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/fused_epilogue.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {
namespace {

constexpr std::size_t codes_input = 1;
constexpr std::size_t scales_input = 2;
constexpr std::size_t zeros_input = 3;
constexpr std::size_t bias_input = 5;

/// Decided at compile time, once per node.
struct CompiledBlockMatMul {
  BlockMatMulSizes sizes;
  bool is_int8 = false;      ///< rows are quantized
  bool starts_high = false;  ///< as in BlockMatrix
  Isa isa = Isa::baseline;
  int max_threads = 1;
  ProductEpilogue epilogue;
  bool has_bias = false;
  AlignedBuffer shift;  ///< per-column addend of the fused nodes; empty: none
  PackedBytes packed;   ///< empty if the weights come at run time

  std::int64_t packed_size() const {
    return is_int8 ? packed_int8_blocks_bytes(sizes) : packed_block_matrix_bytes(sizes);
  }
  void pack(const BlockMatrix& matrix, std::byte* out) const {
    is_int8 ? pack_int8_blocks(sizes, matrix, out) : pack_block_matrix(sizes, matrix, out);
  }
  std::int64_t workspace_bytes(std::int64_t rows) const {
    return is_int8 ? int8_block_matmul_workspace_bytes(rows, sizes, isa, max_threads)
                   : block_matmul_workspace_bytes(rows, sizes, isa, max_threads);
  }
  void multiply(std::int64_t rows, const float* a, const std::byte* matrix, float* out,
                const Epilogue& steps, void* workspace, Workers& workers) const {
    const auto product = is_int8 ? int8_block_matmul : block_matmul;
    product(rows, sizes, a, matrix, out, steps, isa, workspace, workers);
  }
};

class BlockMatMulPrepared : public Prepared {
 public:
  BlockMatMulPrepared(const CompiledBlockMatMul& matmul, const PrepareContext& context)
      : matmul_(matmul) {
    const Shape& a = context.inputs[0].shape;
    rows_ = a.product(0, a.rank() - 1);
    if (matmul.packed.size_bytes() == 0) packed_space_ = layout_.add(matmul.packed_size());
    space_ = layout_.add(matmul.workspace_bytes(rows_));
    const ProductEpilogue& epilogue = matmul.epilogue;
    if (epilogue.residual < 0) return;
    std::vector<std::int64_t> sizes(a.begin(), a.end());
    sizes.back() = matmul.sizes.n;
    const Shape result(sizes);
    const Shape& residual = context.inputs[static_cast<std::size_t>(epilogue.residual)].shape;
    if (result == residual) return;
    unfused_.emplace(result, residual, epilogue.activation, epilogue.low, epilogue.high,
                     matmul.isa);
    result_space_ = layout_.add(bytes_of(DataType::float32, result.element_count()));
  }

  std::int64_t workspace_bytes() const override { return layout_.bytes(); }

  void run(const RunContext& context) const override {
    const BlockMatMulSizes& sizes = matmul_.sizes;
    const std::byte* packed = matmul_.packed.data();
    if (matmul_.packed.size_bytes() == 0) {
      std::byte* own = context.workspace() + packed_space_;
      const BlockMatrix matrix{context.input<std::uint8_t>(codes_input),
                               context.input<float>(scales_input),
                               sizes.has_zeros ? context.input<std::uint8_t>(zeros_input) : nullptr,
                               matmul_.starts_high};
      matmul_.pack(matrix, own);
      packed = own;
    }
    float* out = context.output<float>(0);
    SizedWorkers workers(context.workers(), matmul_.max_threads);
    float* result = unfused_ ? reinterpret_cast<float*>(context.workspace() + result_space_) : out;
    matmul_.multiply(rows_, context.input<float>(0), packed, result, make_epilogue(context),
                     context.workspace() + space_, workers.get());
    if (unfused_)
      unfused_->run(result, residual_of(matmul_.epilogue, context), out, context.workers());
  }

 private:
  Epilogue make_epilogue(const RunContext& context) const {
    Epilogue epilogue;
    if (matmul_.has_bias) epilogue.added = context.input<float>(bias_input);
    if (matmul_.shift.size_bytes() > 0) epilogue.added = matmul_.shift.as<float>();
    if (epilogue.added != nullptr) epilogue.addend = Addend::per_column;
    if (unfused_) return epilogue;
    set_residual_and_activation(epilogue, matmul_.epilogue, context);
    epilogue.residual_stride = matmul_.sizes.n;
    return epilogue;
  }

  const CompiledBlockMatMul& matmul_;
  std::int64_t rows_ = 0;
  WorkspaceLayout layout_;
  std::int64_t packed_space_ = 0;
  std::int64_t space_ = 0;
  std::int64_t result_space_ = 0;
  std::optional<UnfusedResidual> unfused_;  ///< set if the residual must be broadcast
};

class BlockMatMulKernel : public Kernel {
 public:
  BlockMatMulKernel(CompiledBlockMatMul matmul, const NodeView& view, const KernelRow& row,
                    const CompileContext& context)
      : name_(row.name), matmul_(std::move(matmul)) {
    matmul_.isa = row.isa;
    matmul_.max_threads = context.max_threads;
    matmul_.epilogue = epilogue_of(view);
    matmul_.shift = shift_of(matmul_.epilogue, context.cap);
    pack(view, context);
  }

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return std::make_unique<const BlockMatMulPrepared>(matmul_, context);
  }
  bool needs_input(std::size_t index) const override {
    return matmul_.packed.size_bytes() == 0 || index == 0 ||
           (index == bias_input && matmul_.has_bias) ||
           static_cast<std::int64_t>(index) == matmul_.epilogue.residual;
  }
  std::int64_t packed_bytes() const override {
    return matmul_.packed.size_bytes() + matmul_.shift.size_bytes();
  }

 private:
  void pack(const NodeView& view, const CompileContext& context) {
    const Tensor* codes = view.constant(codes_input);
    const Tensor* scales = view.constant(scales_input);
    const Tensor* zeros = matmul_.sizes.has_zeros ? view.constant(zeros_input) : nullptr;
    if (codes == nullptr || scales == nullptr || !is_float_like(scales->type()) ||
        (matmul_.sizes.has_zeros && zeros == nullptr))
      return;
    matmul_.packed = context.pack(
        matmul_.packed_size(),
        {static_cast<std::int64_t>(matmul_.isa), matmul_.is_int8 ? 1 : 0,
         matmul_.starts_high ? 1 : 0},
        [&](std::byte* packed) {
          const Tensor floats = float_tensor(*scales, context.cap);
          matmul_.pack(
              {reinterpret_cast<const std::uint8_t*>(codes->bytes()), floats.data<float>().data(),
               zeros != nullptr ? reinterpret_cast<const std::uint8_t*>(zeros->bytes()) : nullptr,
               matmul_.starts_high},
              packed);
        });
  }

  std::string_view name_;
  CompiledBlockMatMul matmul_;
};

/// Whether the node has zero points in bytes, and blocks in the order of k.
bool has_plain_blocks(const NodeView& view) {
  const Node& node = view.node();
  const bool has_order = node.input(4) != nullptr;
  const bool has_other_zeros =
      node.input(zeros_input) != nullptr && view.input_type(zeros_input) != DataType::uint8;
  return !has_order && !has_other_zeros;
}

bool accepts_float_blocks(const NodeView& view) {
  return accepts_float32(view) && has_plain_blocks(view);
}

bool accepts_fp16_blocks(const NodeView& view) {
  return accepts_fp16(view) && has_plain_blocks(view);
}

/// Whether rows may be quantized, and sums of a block fit int32.
bool allows_int8_rows(const NodeView& view) {
  const auto op = read_op<MatMulNBits>(view.node());
  return op.allows_int8 && op.block_size <= max_int8_block;
}

bool accepts_int8_blocks(const NodeView& view) {
  return accepts_float_blocks(view) && allows_int8_rows(view);
}

bool accepts_fp16_int8_blocks(const NodeView& view) {
  return accepts_fp16_blocks(view) && allows_int8_rows(view);
}

/// Whether the weights are constant, and each column has blocks of its own.
bool has_bnb4_blocks(const NodeView& view) {
  const auto op = read_op<MatMulBnb4>(view.node());
  return op.transposes && op.k % op.block_size == 0 && view.constant(codes_input) != nullptr &&
         view.constant(scales_input) != nullptr;
}

bool accepts_float_bnb4(const NodeView& view) {
  return accepts_float32(view) && has_bnb4_blocks(view);
}

bool accepts_fp16_bnb4(const NodeView& view) {
  return accepts_fp16(view) && has_bnb4_blocks(view);
}

template <bool is_int8>
KernelPtr compile_block_matmul(const NodeView& view, const KernelRow& row,
                               const CompileContext& context) {
  const auto op = read_op<MatMulNBits>(view.node());
  CompiledBlockMatMul matmul;
  matmul.sizes = {op.n, op.k, op.block_size, static_cast<int>(op.bits),
                  view.node().input(zeros_input) != nullptr};
  matmul.is_int8 = is_int8;
  matmul.has_bias = view.node().input(bias_input) != nullptr;
  return std::make_unique<const BlockMatMulKernel>(std::move(matmul), view, row, context);
}

KernelPtr compile_bnb4_blocks(const NodeView& view, const KernelRow& row,
                              const CompileContext& context) {
  const auto op = read_op<MatMulBnb4>(view.node());
  CompiledBlockMatMul matmul;
  matmul.sizes = {op.n, op.k, op.block_size};
  matmul.sizes.table = bnb4_values(op.is_nf4);
  matmul.starts_high = true;
  return std::make_unique<const BlockMatMulKernel>(std::move(matmul), view, row, context);
}

KernelPtr compile_fp16_bnb4_blocks(const NodeView& view, const KernelRow& row,
                                   const CompileContext& context) {
  return make_fp16_kernel(compile_bnb4_blocks(view, row, context), row.isa);
}

template <bool is_int8>
KernelPtr compile_fp16_block_matmul(const NodeView& view, const KernelRow& row,
                                    const CompileContext& context) {
  return make_fp16_kernel(compile_block_matmul<is_int8>(view, row, context), row.isa);
}

constexpr const char* float32_blocks = "float32 with zero points in bytes";
constexpr const char* float32_bnb4 = "float32 with constant blocks of columns";
constexpr const char* fp16_bnb4 = "float16, bfloat16 with constant blocks of columns";
constexpr const char* fp16_blocks = "float16, bfloat16 with zero points in bytes";

constexpr auto matmul_n_bits_rows = [] {
  auto rows = join_rows(
      int8_isa_rows<"matmul_nbits_int8">("MatMulNBits", float32_blocks, accepts_int8_blocks,
                                         compile_block_matmul<true>, contrib_domain),
      int8_isa_rows<"matmul_nbits_half_int8">("MatMulNBits", fp16_blocks, accepts_fp16_int8_blocks,
                                              compile_fp16_block_matmul<true>, contrib_domain),
      isa_rows<"matmul_nbits">("MatMulNBits", float32_blocks, accepts_float_blocks,
                               compile_block_matmul<false>, contrib_domain),
      isa_rows<"matmul_nbits_half">("MatMulNBits", fp16_blocks, accepts_fp16_blocks,
                                    compile_fp16_block_matmul<false>, contrib_domain),
      isa_rows<"matmul_bnb4_blocks">("MatMulBnb4", float32_bnb4, accepts_float_bnb4,
                                     compile_bnb4_blocks, contrib_domain),
      isa_rows<"matmul_bnb4_blocks_half">("MatMulBnb4", fp16_bnb4, accepts_fp16_bnb4,
                                          compile_fp16_bnb4_blocks, contrib_domain));
  for (KernelRow& row : rows) row.absorbs = absorbs_epilogue;
  return rows;
}();

}  // namespace

std::span<const KernelRow> matmul_nbits_kernels() {
  return matmul_n_bits_rows;
}

}  // namespace ortool::cpu

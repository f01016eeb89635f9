// Kernels for products with coded weights: MatMulBnb4, MatMulFpQ4, weights in FP4 and FP8, and the
// forms of MatMulNBits with float zero points or an order of groups. MatMulNBits' own kernel takes
// the usual MatMulBnb4.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "kernels/cpu/gemm/weight_only/dequantized_matmul.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/weights/bnb4_values.hpp"
#include "libcore/ops/contrib/weights/matmul_bnb4.hpp"
#include "libcore/ops/contrib/weights/matmul_coded_weight.hpp"
#include "libcore/ops/contrib/weights/matmul_fp_q4.hpp"
#include "libcore/ops/contrib/weights/matmul_n_bits.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "libcore/tensor/float_formats.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

using CodeTable = std::array<float, 256>;

CodeTable bnb4_table(bool is_nf4) {
  CodeTable table = {};
  std::copy_n(bnb4_values(is_nf4), bnb4_codes, table.begin());
  return table;
}

/// The codes as numbers, minus `middle`.
CodeTable integer_table(std::int64_t middle) {
  CodeTable table = {};
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = static_cast<float>(static_cast<std::int64_t>(i) - middle);
  return table;
}

CodeTable float_table(DataType type) {
  CodeTable table = {};
  const std::size_t count = std::size_t{1} << element_bits(type);
  for (std::size_t i = 0; i < count; ++i) table[i] = static_cast<float>(decode_float(type, i));
  return table;
}

/// A product whose matrix is described at each run, from the operands and `extra` workspace.
struct CodedProduct {
  CodedMatrix sizes;  ///< without pointers
  CodeTable table = {};
  std::int64_t extra_bytes = 0;
  std::size_t bias_input = 64;
};

template <typename Describe>
PreparedPtr prepare_coded(const PrepareContext& context, const CodedProduct& product, Isa isa,
                          int max_threads, Describe describe) {
  const Shape& a = context.inputs[0].shape;
  const std::int64_t rows = a.product(0, a.rank() - 1);
  WorkspaceLayout layout;
  const std::int64_t extra = layout.add(product.extra_bytes);
  const std::int64_t space =
      layout.add(dequantized_matmul_workspace_bytes(rows, product.sizes, isa, max_threads));
  return make_prepared({.workspace_bytes = layout.bytes()}, [=](const RunContext& run) {
    CodedMatrix matrix = product.sizes;
    matrix.table = product.table.data();
    describe(run, run.workspace() + extra, matrix);
    Epilogue epilogue;
    epilogue.added = run.input<float>(product.bias_input);
    if (epilogue.added != nullptr) epilogue.addend = Addend::per_column;
    SizedWorkers workers(run.workers(), max_threads);
    dequantized_matmul(rows, matrix, run.input<float>(0), run.output<float>(0), epilogue, isa,
                       run.workspace() + space, workers.get());
  });
}

void check_groups(std::span<const std::int32_t> groups, std::int64_t blocks) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] >= 0 && groups[i] < blocks) continue;
    throw Error(ErrorCode::invalid,
                format("g_idx[{}] is {} (expected 0 to {})", i, groups[i], blocks - 1));
  }
}

KernelPtr compile_coded_nbits(const NodeView& view, const KernelRow& row,
                              const CompileContext& context) {
  const auto op = read_op<MatMulNBits>(view.node());
  const bool has_packed_zeros = view.input_type(3) == DataType::uint8;
  CodedProduct product;
  product.sizes.rows = op.n;
  product.sizes.steps = op.k;
  product.sizes.row_codes = op.blocks() * op.block_size;
  product.sizes.bits = static_cast<int>(op.bits);
  product.sizes.block_size = op.block_size;
  product.sizes.is_transposed = true;
  product.table = integer_table(view.node().input(3) != nullptr ? 0 : 1 << (op.bits - 1));
  product.extra_bytes = has_packed_zeros ? op.n * op.blocks() * 4 : 0;
  product.bias_input = 5;
  return make_kernel(
      row.name, [=, isa = row.isa, threads = context.max_threads](const PrepareContext& given) {
        return prepare_coded(
            given, product, isa, threads,
            [=](const RunContext& run, std::byte* extra, CodedMatrix& matrix) {
              matrix.codes = run.input<std::uint8_t>(1);
              matrix.scales = run.input<float>(2);
              matrix.zeros = run.input<float>(3);
              matrix.groups = run.input<std::int32_t>(4);
              if (matrix.groups != nullptr)
                check_groups({matrix.groups, static_cast<std::size_t>(op.k)}, op.blocks());
              if (!has_packed_zeros) return;
              const CodeTable numbers = integer_table(0);
              auto* const to = reinterpret_cast<float*>(extra);
              CodedMatrix zeros = {.rows = op.n,
                                   .steps = op.blocks(),
                                   .codes = run.input<std::uint8_t>(3),
                                   .row_codes = (op.blocks() * op.bits + 7) / 8 * (8 / op.bits),
                                   .bits = static_cast<int>(op.bits),
                                   .table = numbers.data()};
              for (std::int64_t i = 0; i < op.n; ++i)
                decode_codes(zeros, i, 0, op.blocks(), to + i * op.blocks());
              matrix.zeros = to;
            });
      });
}

KernelPtr compile_bnb4(const NodeView& view, const KernelRow& row, const CompileContext& context) {
  const auto op = read_op<MatMulBnb4>(view.node());
  CodedProduct product;
  product.sizes.rows = op.n;
  product.sizes.steps = op.k;
  product.sizes.row_codes = op.k;
  product.sizes.starts_high = true;
  product.sizes.block_size = op.block_size;
  product.sizes.is_flat = true;
  product.sizes.is_transposed = op.transposes;
  product.table = bnb4_table(op.is_nf4);
  return make_kernel(
      row.name, [=, isa = row.isa, threads = context.max_threads](const PrepareContext& given) {
        return prepare_coded(given, product, isa, threads,
                             [](const RunContext& run, std::byte*, CodedMatrix& matrix) {
                               matrix.codes = run.input<std::uint8_t>(1);
                               matrix.scales = run.input<float>(2);
                             });
      });
}

/// The parts of MLAS's blob: each column's blocks have a scale, maybe a zero point, then codes, the
/// first half of each 32 in the low bits.
void split_blob(const MatMulFpQ4& op, const std::uint8_t* blob, std::int64_t count,
                CodedMatrix& matrix, std::byte* extra) {
  auto* const scales = reinterpret_cast<float*>(extra);
  float* const zeros = scales + count;
  auto* const codes = reinterpret_cast<std::uint8_t*>(zeros + count);
  const std::int64_t code_bytes = op.block_size / 2;
  constexpr std::int64_t half = 16;
  for (std::int64_t i = 0; i < count; ++i, blob += op.block_bytes()) {
    std::memcpy(scales + i, blob, sizeof(float));
    zeros[i] = op.has_zeros ? static_cast<float>(blob[4]) : 8.0F;
    const std::uint8_t* from = blob + op.block_bytes() - code_bytes;
    std::uint8_t* to = codes + i * code_bytes;
    for (std::int64_t k = 0; k < op.block_size; k += 2) {
      const auto code_of = [&](std::int64_t at) {
        return from[at / 32 * half + at % half] >> (at % 32 / half * 4) & 15;
      };
      to[k / 2] = static_cast<std::uint8_t>(code_of(k) | code_of(k + 1) << 4);
    }
  }
  matrix.scales = scales;
  matrix.zeros = zeros;
  matrix.codes = codes;
}

KernelPtr compile_fp_q4(const NodeView& view, const KernelRow& row, const CompileContext& context) {
  const auto op = read_op<MatMulFpQ4>(view.node());
  return make_kernel(
      row.name, [op, isa = row.isa, threads = context.max_threads](const PrepareContext& given) {
        const Shape& a = given.inputs[0].shape;
        const Shape& y = given.outputs[0].shape;
        CodedProduct product;
        product.sizes.rows = y[y.rank() - 1];
        product.sizes.steps = a[a.rank() - 1];
        product.sizes.block_size = op.block_size;
        product.sizes.row_codes = product.sizes.blocks() * op.block_size;
        product.sizes.is_transposed = true;
        product.table = integer_table(0);
        const std::int64_t count = product.sizes.rows * product.sizes.blocks();
        const std::int64_t bytes = given.inputs[1].shape.element_count();
        if (bytes < count * op.block_bytes()) {
          throw Error(ErrorCode::invalid,
                      format("'B' has {} bytes (expected {})", bytes, count * op.block_bytes()));
        }
        product.extra_bytes = count * (8 + op.block_size / 2);
        return prepare_coded(given, product, isa, threads,
                             [=](const RunContext& run, std::byte* extra, CodedMatrix& matrix) {
                               split_blob(op, run.input<std::uint8_t>(1), count, matrix, extra);
                             });
      });
}

CodedProduct coded_weight(const PrepareContext& given, std::int64_t block_size, int bits) {
  CodedProduct product;
  const Shape& b = given.inputs[1].shape;
  product.sizes.rows = b[0];
  product.sizes.steps = b[1] * (8 / bits);
  product.sizes.row_codes = product.sizes.steps;
  product.sizes.bits = bits;
  product.sizes.block_size = block_size;
  product.sizes.is_transposed = true;
  return product;
}

KernelPtr compile_fp4_weight(const NodeView& view, const KernelRow& row,
                             const CompileContext& context) {
  const auto op = read_op<MatMulBlockQuantizedFp4Weight>(view.node());
  const CodeTable bytes = float_table(DataType::float8e4m3fn);
  return make_kernel(
      row.name, [=, isa = row.isa, threads = context.max_threads](const PrepareContext& given) {
        CodedProduct product = coded_weight(given, op.block_size, 4);
        product.table = float_table(DataType::float4e2m1);
        product.bias_input = 5;
        const std::int64_t count = given.inputs[2].shape.element_count();
        product.extra_bytes = count * 4;
        return prepare_coded(given, product, isa, threads,
                             [=](const RunContext& run, std::byte* extra, CodedMatrix& matrix) {
                               matrix.codes = run.input<std::uint8_t>(1);
                               auto* const scales = reinterpret_cast<float*>(extra);
                               const float whole = *run.input<float>(3);
                               const auto* from = run.input<std::uint8_t>(2);
                               for (std::int64_t i = 0; i < count; ++i)
                                 scales[i] = bytes[from[i]] * whole;
                               matrix.scales = scales;
                             });
      });
}

KernelPtr compile_fp8_weight(const NodeView& view, const KernelRow& row,
                             const CompileContext& context) {
  const auto op = read_op<MatMulBlockQuantizedFp8Weight>(view.node());
  const CodeTable table = float_table(DataType::float8e4m3fn);
  return make_kernel(
      row.name, [=, isa = row.isa, threads = context.max_threads](const PrepareContext& given) {
        CodedProduct product = coded_weight(given, op.block_size, 8);
        product.table = table;
        product.bias_input = 4;
        return prepare_coded(given, product, isa, threads,
                             [](const RunContext& run, std::byte*, CodedMatrix& matrix) {
                               matrix.codes = run.input<std::uint8_t>(1);
                               matrix.scales = run.input<float>(2);
                             });
      });
}

template <KernelPtr (*compile)(const NodeView&, const KernelRow&, const CompileContext&)>
KernelPtr compile_fp16_coded(const NodeView& view, const KernelRow& row,
                             const CompileContext& context) {
  return make_fp16_kernel(compile(view, row, context), row.isa);
}

/// Whether A is not quantized, which decomposition takes out of the node.
bool accepts_fp8_weight(const NodeView& view) {
  return accepts_fp16(view) && view.node().input(3) == nullptr;
}

constexpr auto coded_matmul_rows = join_rows(
    isa_rows<"matmul_fp4_weight">("MatMulBlockQuantizedFp4Weight", fp16_type_names, accepts_fp16,
                                  compile_fp16_coded<compile_fp4_weight>, contrib_domain),
    isa_rows<"matmul_fp8_weight">("MatMulBlockQuantizedFp8Weight", fp16_type_names,
                                  accepts_fp8_weight, compile_fp16_coded<compile_fp8_weight>,
                                  contrib_domain),
    isa_rows<"matmul_bnb4">("MatMulBnb4", "float32", accepts_float32, compile_bnb4, contrib_domain),
    isa_rows<"matmul_bnb4_half">("MatMulBnb4", fp16_type_names, accepts_fp16,
                                 compile_fp16_coded<compile_bnb4>, contrib_domain),
    isa_rows<"matmul_fpq4">("MatMulFpQ4", "float32", accepts_float32, compile_fp_q4,
                            contrib_domain),
    isa_rows<"matmul_nbits_coded">("MatMulNBits", "float32", accepts_float32, compile_coded_nbits,
                                   contrib_domain),
    isa_rows<"matmul_nbits_coded_half">("MatMulNBits", fp16_type_names, accepts_fp16,
                                        compile_fp16_coded<compile_coded_nbits>, contrib_domain));

}  // namespace

std::span<const KernelRow> coded_matmul_kernels() {
  return coded_matmul_rows;
}

}  // namespace ortool::cpu

// Kernels for RotaryEmbedding.
#include "libcore/ops/nn/attention/rotary_embedding.hpp"

#include "kernels/cpu/attention/rotary_embedding.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {
namespace {

RotarySizes rotary_sizes(const RotaryEmbedding& op, const Shape& x) {
  RotarySizes sizes;
  sizes.is_interleaved = op.interleaved;
  sizes.is_packed = x.rank() == 3;
  sizes.batch = x[0];
  sizes.heads = sizes.is_packed ? op.heads : x[1];
  sizes.length = sizes.is_packed ? x[1] : x[2];
  sizes.size = sizes.is_packed ? x[2] / op.heads : x[3];
  sizes.rotated = op.rotated_size == 0 ? sizes.size : op.rotated_size;
  return sizes;
}

/// A cache has one row per position id, or one per token of the input; an axis of 1 is broadcast.
void check_cache(const Shape& cache, const Shape& expected, const RotarySizes& sizes,
                 bool has_positions) {
  const bool fits = has_positions || ((cache[0] == sizes.batch || cache[0] == 1) &&
                                      (cache[1] == sizes.length || cache[1] == 1));
  if (fits && cache == expected && cache[cache.rank() - 1] == sizes.rotated / 2) return;
  throw Error(ErrorCode::invalid,
              "'cos_cache' and 'sin_cache' do not have the same shape that matches 'X' (expected "
              "half as many columns as rotated elements of a head, and one row per position)");
}

PreparedPtr prepare_rotary(const RotaryEmbedding& op, const PrepareContext& context, Isa isa) {
  const RotarySizes sizes = rotary_sizes(op, context.inputs[0].shape);
  const Shape& cache = context.inputs[1].shape;
  const bool has_positions = context.has_input(3);
  check_cache(cache, context.inputs[2].shape, sizes, has_positions);
  RotaryAngles angles;
  if (has_positions) {
    const Shape& positions = context.inputs[3].shape;
    if (positions[0] != sizes.batch || positions[1] != sizes.length) {
      throw Error(ErrorCode::invalid,
                  format("'position_ids' is {} x {} (expected {} x {})", positions[0], positions[1],
                         sizes.batch, sizes.length));
    }
    angles.rows = cache[0];
  } else {
    angles.length_rows = cache[1] == 1 ? 0 : 1;
    angles.batch_rows = cache[0] == 1 ? 0 : cache[1];
  }
  return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
    RotaryAngles here = angles;
    here.cosines = run.input<float>(1);
    here.sines = run.input<float>(2);
    here.positions = run.input<std::int64_t>(3);
    rotary_embedding(run.input<float>(0), here, run.output<float>(0), sizes, run.workers(), isa);
  });
}

KernelPtr compile_rotary(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<RotaryEmbedding>(view.node());
  return make_kernel(row.name, [op, isa = row.isa](const PrepareContext& context) {
    return prepare_rotary(op, context, isa);
  });
}

KernelPtr compile_fp16_rotary(const NodeView& view, const KernelRow& row,
                              const CompileContext& context) {
  return make_fp16_kernel(compile_rotary(view, row, context), row.isa);
}

constexpr auto rotary_rows = join_rows(
    isa_rows<"rotary_embedding_f32">("RotaryEmbedding", "float32", accepts_float32, compile_rotary),
    isa_rows<"rotary_embedding_half">("RotaryEmbedding", fp16_type_names, accepts_fp16,
                                      compile_fp16_rotary));

}  // namespace

std::span<const KernelRow> rotary_embedding_kernels() {
  return rotary_rows;
}

}  // namespace ortool::cpu

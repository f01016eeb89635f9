// Kernels for com.microsoft's RotaryEmbedding and MRotaryEmbedding.
#include <algorithm>

#include "kernels/cpu/attention/rotary_embedding.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/attention/rotary_embedding.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {
namespace {

RotarySizes contrib_rotary_sizes(const ContribRotaryEmbedding& op, const PrepareContext& context) {
  const Shape& x = context.inputs[0].shape;
  const Shape& cache = context.inputs[2].shape;
  RotarySizes sizes;
  sizes.is_interleaved = op.interleaved;
  sizes.is_packed = x.rank() == 3;
  sizes.batch = x[0];
  sizes.rotated = 2 * cache[1];
  const std::int64_t width = x[2];
  sizes.heads = op.heads;
  if (!sizes.is_packed) {
    sizes.heads = x[1];
  } else if (op.heads == 0) {
    sizes.heads = sizes.rotated > 0 ? width / sizes.rotated : 0;
  }
  sizes.length = sizes.is_packed ? x[1] : x[2];
  sizes.size = !sizes.is_packed ? x[3] : sizes.heads > 0 ? width / sizes.heads : 0;
  const bool is_whole = !sizes.is_packed || sizes.heads * sizes.size == width;
  if (!is_whole || sizes.rotated > sizes.size ||
      (op.rotated_size == 0 && sizes.rotated != sizes.size / 2 * 2)) {
    throw Error(ErrorCode::invalid,
                format("'cos_cache' has {} columns, but heads have {} elements (expected half of "
                       "the rotated ones)",
                       cache[1], sizes.size));
  }
  return sizes;
}

void check_positions_shape(const Shape& positions, std::int64_t first_axis,
                           const RotarySizes& sizes) {
  if (positions[first_axis] == sizes.batch && positions[first_axis + 1] == sizes.length) return;
  throw Error(ErrorCode::invalid,
              format("'position_ids' is for {} x {} tokens (expected {} x {})",
                     positions[first_axis], positions[first_axis + 1], sizes.batch, sizes.length));
}

void check_position(std::int64_t position, std::int64_t rows) {
  if (position >= 0 && position < rows) return;
  throw Error(ErrorCode::invalid,
              format("'position_ids' holds {} (expected 0 to {})", position, rows - 1));
}

PreparedPtr prepare_contrib_rotary(const ContribRotaryEmbedding& op, const PrepareContext& context,
                                   Isa isa) {
  const RotarySizes sizes = contrib_rotary_sizes(op, context);
  const std::int64_t rows = context.inputs[2].shape[0];
  const Shape& positions = context.inputs[1].shape;
  const bool is_offset = positions.rank() == 1;
  if (!is_offset) check_positions_shape(positions, 0, sizes);
  return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
    const auto* ids = run.input<std::int64_t>(1);
    RotaryAngles angles;
    angles.cosines = run.input<float>(2);
    angles.sines = run.input<float>(3);
    angles.rows = rows;
    if (is_offset) {
      check_position(ids[0], rows - sizes.length + 1);
      angles.cosines += ids[0] * sizes.rotated / 2;
      angles.sines += ids[0] * sizes.rotated / 2;
    } else {
      for (std::int64_t i = 0; i < sizes.batch * sizes.length; ++i) check_position(ids[i], rows);
      angles.positions = ids;
    }
    rotary_embedding(run.input<float>(0), angles, run.output<float>(0), sizes, run.workers(), isa);
  });
}

KernelPtr compile_contrib_rotary(const NodeView& view, const KernelRow& row,
                                 const CompileContext&) {
  const auto op = read_op<ContribRotaryEmbedding>(view.node());
  KernelPtr kernel = make_kernel(row.name, [op, isa = row.isa](const PrepareContext& context) {
    return prepare_contrib_rotary(op, context, isa);
  });
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

/// Gathers the angles of each token from the rows of its three positions.
PreparedPtr prepare_multimodal_rotary(const MRotaryEmbedding& op, const PrepareContext& context,
                                      Isa isa) {
  const RotarySizes sizes = contrib_rotary_sizes(op, context);
  const std::int64_t rows = context.inputs[2].shape[0];
  check_positions_shape(context.inputs[1].shape, 1, sizes);
  const std::int64_t pairs = sizes.rotated / 2;
  const std::int64_t tokens = sizes.batch * sizes.length;
  const std::int64_t count = multiply_sizes(tokens, pairs);
  return make_prepared(
      {.workspace_bytes = 2 * bytes_of(DataType::float32, count), .overwritable = {0}},
      [=](const RunContext& run) {
        const auto* ids = run.input<std::int64_t>(1);
        for (std::int64_t i = 0; i < 3 * tokens; ++i) check_position(ids[i], rows);
        auto* cosines = run.workspace<float>();
        float* sines = cosines + count;
        for (std::int64_t i = 0; i < count; ++i) {
          const std::int64_t stream = op.stream_of(i % pairs);
          const std::int64_t from = ids[stream * tokens + i / pairs] * pairs + i % pairs;
          cosines[i] = run.input<float>(2)[from];
          sines[i] = run.input<float>(3)[from];
        }
        RotaryAngles angles;
        angles.cosines = cosines;
        angles.sines = sines;
        angles.batch_rows = sizes.length;
        rotary_embedding(run.input<float>(0), angles, run.output<float>(0), sizes, run.workers(),
                         isa);
      });
}

KernelPtr compile_multimodal_rotary(const NodeView& view, const KernelRow& row,
                                    const CompileContext&) {
  const auto op = read_op<MRotaryEmbedding>(view.node());
  KernelPtr kernel = make_kernel(row.name, [op, isa = row.isa](const PrepareContext& context) {
    return prepare_multimodal_rotary(op, context, isa);
  });
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

constexpr auto contrib_rotary_rows =
    join_rows(isa_rows<"contrib_rotary_embedding">("RotaryEmbedding", float_like_type_names,
                                                   accepts_float_like, compile_contrib_rotary,
                                                   contrib_domain),
              isa_rows<"multimodal_rotary_embedding">("MRotaryEmbedding", float_like_type_names,
                                                      accepts_float_like, compile_multimodal_rotary,
                                                      contrib_domain));

}  // namespace

std::span<const KernelRow> contrib_rotary_embedding_kernels() {
  return contrib_rotary_rows;
}

}  // namespace ortool::cpu

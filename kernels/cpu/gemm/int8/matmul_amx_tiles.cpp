// Int8 MatMul with AMX tiles: rows are read in place; tasks are ranges of column panels.
#if defined(__x86_64__)
#include <algorithm>
#include <cstring>

#include "kernels/cpu/gemm/int8/algorithms.hpp"
#include "kernels/cpu/gemm/int8/gemv.hpp"
#include "kernels/cpu/gemm/int8/tiled_microkernel.hpp"

namespace ortool::cpu {
namespace {

/// Context of requantize_block.
struct BlockContext {
  const Int8MatMulCall& call;
  RequantizeFunctions functions;
};

void requantize_block(const void* context, std::int32_t* sums, std::int64_t row, std::int64_t rows,
                      std::int64_t panel) {
  const auto& [call, functions] = *static_cast<const BlockContext*>(context);
  const std::int64_t first = panel * tile_panel_columns;
  const ZeroPointTerms zero_point_terms(call, first);
  requantize_accumulators(
      functions, call.epilogue, {zero_point_terms.all, zero_point_terms.count},
      {sums, tile_block_columns, row, rows, first,
       std::min(tile_block_columns, call.sizes.n - first), call.out, call.sizes.n});
}

/// Copies the tail of each row, after the last whole step, and zero-pads it.
void copy_rests(const Int8MatMulCall& call, std::int64_t whole) {
  const std::int64_t rest = call.sizes.k - whole;
  for (std::int64_t row = 0; row < call.sizes.m; ++row) {
    std::byte* to = call.workspace + row * tile_step;
    std::memcpy(to, call.a.data + row * call.sizes.k + whole, static_cast<std::size_t>(rest));
    std::memset(to + rest, 0, static_cast<std::size_t>(tile_step - rest));
  }
}

/// Whether tiles would be mostly empty. Signed rows always use tiles.
bool is_skinny(const Int8MatMulSizes& sizes) {
  const std::int64_t steps = (sizes.k + tile_step - 1) / tile_step;
  return sizes.m == 1 || (sizes.m <= max_gemv_rows && sizes.m * steps <= max_gemv_rows);
}

std::int64_t words_of(std::int64_t k) {
  return (k + 3) / 4;
}

/// Column panels per task, an even number.
std::int64_t panels_a_task(const Int8MatMulSizes& sizes) {
  constexpr std::int64_t task_products = std::int64_t{8} << 20;
  // Fewer rows take as long, since all weights are read anyway.
  const std::int64_t rows = std::max<std::int64_t>(sizes.m, tile_block_rows);
  const std::int64_t pair_products =
      std::max<std::int64_t>(1, 2 * tile_panel_columns * sizes.k * rows);
  return 2 * std::max<std::int64_t>(1, task_products / pair_products);
}

void multiply_skinny(const Int8MatMulCall& call, Workers& workers) {
  const Int8MatMulSizes& sizes = call.sizes;
  const auto* a = reinterpret_cast<const std::uint8_t*>(call.a.data);
  std::int64_t a_stride = sizes.k;
  if (sizes.k % 4 != 0) {
    a_stride = words_of(sizes.k) * 4;
    for (std::int64_t row = 0; row < sizes.m; ++row) {
      std::byte* to = call.workspace + row * a_stride;
      std::memcpy(to, call.a.data + row * sizes.k, static_cast<std::size_t>(sizes.k));
      std::memset(to + sizes.k, 0, static_cast<std::size_t>(a_stride - sizes.k));
    }
    a = reinterpret_cast<const std::uint8_t*>(call.workspace);
  }
  const RequantizeFunctions functions = RequantizeFunctions::of(call.isa);
  const std::int64_t panel_bytes = tile_panel_bytes((sizes.k + tile_step - 1) / tile_step);
  const std::int64_t pieces = (sizes.n + gemv_columns - 1) / gemv_columns;
  constexpr std::int64_t panels_a_piece = gemv_columns / tile_panel_columns;
  const std::int64_t grain = std::max<std::int64_t>(1, panels_a_task(sizes) / panels_a_piece);
  workers.parallel_ranges(pieces, grain, [&](std::int64_t begin, std::int64_t end) {
    alignas(64) std::int32_t sums[max_gemv_rows * gemv_columns];
    for (std::int64_t piece = begin; piece < end; ++piece) {
      const std::int64_t first = piece * gemv_columns;
      const std::int64_t columns = std::min(gemv_columns, sizes.n - first);
      vnni::multiply_int8_gemv({.a = a,
                                .a_stride = a_stride,
                                .rows = sizes.m,
                                .words = words_of(sizes.k),
                                .b = reinterpret_cast<const std::uint8_t*>(call.b) +
                                     piece * panels_a_piece * panel_bytes,
                                .panel_bytes = panel_bytes,
                                .panels = (columns + tile_panel_columns - 1) / tile_panel_columns,
                                .sums = sums});
      const ZeroPointTerms zero_point_terms(call, first);
      requantize_accumulators(functions, call.epilogue,
                              {zero_point_terms.all, zero_point_terms.count},
                              {sums, gemv_columns, 0, sizes.m, first, columns, call.out, sizes.n});
    }
  });
}

}  // namespace

std::int64_t tile_matmul_workspace_bytes(const Int8MatMulSizes& sizes) {
  const std::int64_t rests = sizes.k % tile_step != 0 ? sizes.m * tile_step : 0;
  return is_skinny(sizes) ? std::max(rests, sizes.m * words_of(sizes.k) * 4) : rests;
}

void tile_matmul(const Int8MatMulCall& call, Workers& workers) {
  const Int8MatMulSizes& sizes = call.sizes;
  if (!call.a.is_signed && is_skinny(sizes)) return multiply_skinny(call, workers);
  const std::int64_t whole = sizes.k / tile_step * tile_step;
  if (whole < sizes.k) copy_rests(call, whole);
  const BlockContext context{call, RequantizeFunctions::of(call.isa)};
  AmxTileProduct product = {};
  product.a = call.a.data;
  product.a_stride = sizes.k;
  product.rows = sizes.m;
  product.has_signed_rows = call.a.is_signed ? 1 : 0;
  product.whole_steps = whole / tile_step;
  product.a_rest =
      whole < sizes.k ? reinterpret_cast<const std::uint8_t*>(call.workspace) : nullptr;
  product.b = reinterpret_cast<const std::uint8_t*>(call.b);
  product.finish = requantize_block;
  product.context = &context;
  const std::int64_t panels = (sizes.n + tile_panel_columns - 1) / tile_panel_columns;
  const std::int64_t grain = panels_a_task(sizes);
  workers.parallel_ranges(panels, grain, [&](std::int64_t begin, std::int64_t end) {
    AmxTileProduct part = product;
    part.panel_begin = begin;
    part.panel_end = end;
    // The panels after these may belong to another thread, so they are not prefetched.
    part.prefetched_panels = workers.count() == 1 ? panels : end;
    amx::multiply_amx_tiles(part);
  });
}

}  // namespace ortool::cpu
#endif

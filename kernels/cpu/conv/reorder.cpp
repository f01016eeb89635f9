// Reorders between NCHW and NCHWc: channel blocks are transposed by the packing kernels of GEMM.
#include "kernels/cpu/conv/reorder.hpp"

#include <algorithm>

#include "kernels/cpu/gemm/f32/microkernel.hpp"
#include "kernels/cpu/gemm/f32/packed_product.hpp"
#include "kernels/cpu/parallel/spatial_partition.hpp"

namespace ortool::cpu {
namespace {

/// Values moved per task: takes about ten microseconds.
constexpr std::int64_t task_floats = 32 * 1024;
constexpr std::int64_t together = 16;

/// Calls `move(image, block, first, count)` for ranges of pixels of each block.
template <typename Move>
void for_ranges(const ReorderSizes& sizes, Workers& workers, Move move) {
  constexpr double nanoseconds_a_float = 0.2;
  const std::int64_t blocks = (sizes.channels + sizes.block - 1) / sizes.block;
  const std::int64_t ranges = (sizes.pixels + together - 1) / together;
  if (sizes.batch * blocks * ranges <= 0) return;
  const SpatialPartition cut(
      sizes.batch, ranges, blocks, cuts_channels_by_rows(sizes.channels, sizes.pixels),
      nanoseconds_a_float * static_cast<double>(sizes.batch * blocks * sizes.block * sizes.pixels));
  cut.run(workers, [&](const PartitionTile& piece) {
    const std::int64_t first = piece.row_begin * together;
    const std::int64_t count = std::min(piece.row_end * together, sizes.pixels) - first;
    for (std::int64_t block = piece.block_begin; block < piece.block_end; ++block)
      move(piece.image, block, first, count);
  });
}

std::int64_t channels_of(const ReorderSizes& sizes, std::int64_t block) {
  return std::min(sizes.block, sizes.channels - block * sizes.block);
}

}  // namespace

void reorder_to_nchwc(const ReorderSizes& sizes, const float* plain, float* blocked, Isa isa,
                      Workers& workers) {
  const GemmFunctions& functions = gemm_functions(isa);
  const std::int64_t blocks = (sizes.channels + sizes.block - 1) / sizes.block;
  for_ranges(sizes, workers,
             [&](std::int64_t image, std::int64_t block, std::int64_t first, std::int64_t count) {
               const std::int64_t channel = image * sizes.channels + block * sizes.block;
               functions.pack_transposed(
                   plain + channel * sizes.pixels + first, sizes.pixels,
                   static_cast<std::int32_t>(channels_of(sizes, block)),
                   static_cast<std::int32_t>(sizes.block), count,
                   blocked + ((image * blocks + block) * sizes.pixels + first) * sizes.block,
                   sizes.block);
             });
}

void reorder_to_nchw(const ReorderSizes& sizes, const float* blocked, float* plain, Isa isa,
                     Workers& workers) {
  const GemmFunctions& functions = gemm_functions(isa);
  const std::int64_t blocks = (sizes.channels + sizes.block - 1) / sizes.block;
  for_ranges(sizes, workers,
             [&](std::int64_t image, std::int64_t block, std::int64_t first, std::int64_t count) {
               const float* from =
                   blocked + ((image * blocks + block) * sizes.pixels + first) * sizes.block;
               float* to =
                   plain + (image * sizes.channels + block * sizes.block) * sizes.pixels + first;
               for (std::int64_t pixel = 0; pixel < count; pixel += together) {
                 const auto rows = static_cast<std::int32_t>(std::min(together, count - pixel));
                 functions.pack_transposed(from + pixel * sizes.block, sizes.block, rows, rows,
                                           channels_of(sizes, block), to + pixel, sizes.pixels);
               }
             });
}

void clear_filling(const ReorderSizes& sizes, float* blocked, Workers& workers) {
  const std::int64_t used = sizes.channels % sizes.block;
  if (used == 0) return;
  const std::int64_t blocks = (sizes.channels + sizes.block - 1) / sizes.block;
  workers.parallel_ranges(sizes.batch * sizes.pixels, task_floats / sizes.block,
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t i = begin; i < end; ++i) {
                              const std::int64_t plane = (i / sizes.pixels + 1) * blocks - 1;
                              float* pixel =
                                  blocked + (plane * sizes.pixels + i % sizes.pixels) * sizes.block;
                              std::fill(pixel + used, pixel + sizes.block, 0.0F);
                            }
                          });
}

}  // namespace ortool::cpu

// Convolution by im2col and GEMM, pixels as vector lanes: the windows of a cache-sized tile are
// packed, then multiplied by the weights.
#include <algorithm>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/parallel/spatial_partition.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

/// How the output pixels of one image and group are partitioned into tiles of whole panels.
struct PixelTiles {
  std::int64_t k = 0;
  std::int64_t pixels = 0;
  std::int64_t width = 0;   ///< pixels per panel
  std::int64_t panels = 0;  ///< the last may be partial
  std::int64_t tiles = 0;
  bool shares = false;  ///< few tiles: all threads work on the same one
  std::int64_t tile_bytes = 0;

  std::int64_t first_pixel(std::int64_t tile) const {
    return std::min(panels * tile / tiles * width, pixels);
  }
};

/// Enough tiles to occupy the threads, while each stays wide enough to amortize reading the
/// weights; more if a tile's packed windows would not fit the cache.
PixelTiles cut_pixels(const ConvSizes& sizes, const GemmFunctions& functions) {
  constexpr std::int64_t cache_bytes = 512 * 1024;
  constexpr std::int64_t min_panels = 2;
  constexpr double flops_a_nanosecond = 100;
  PixelTiles cut;
  cut.k = conv_depth(sizes);
  cut.pixels = volume(sizes.out);
  cut.width = functions.panel_columns;
  cut.panels = (cut.pixels + cut.width - 1) / cut.width;
  const std::int64_t images = sizes.batch * sizes.groups;
  const double products = static_cast<double>(sizes.batch * sizes.channels_out * cut.pixels) *
                          static_cast<double>(cut.k);
  const std::int64_t tasks = task_count(2 * products / flops_a_nanosecond);
  cut.tiles = (tasks + images - 1) / images;
  while (cut.tiles > 1 && cut.panels < min_panels * cut.tiles) cut.tiles /= 2;
  const auto tile_floats = [&] {
    return (cut.panels + cut.tiles - 1) / cut.tiles * cut.width * cut.k;
  };
  while (tile_floats() > cache_bytes / float_bytes && cut.panels > min_panels * cut.tiles)
    cut.tiles *= 2;
  cut.tiles = std::min(cut.tiles, cut.panels);
  cut.shares = 4 * images * cut.tiles < tasks;
  cut.tile_bytes = (tile_floats() * float_bytes + 63) / 64 * 64;
  return cut;
}

/// One tile of one group of one image.
struct Tile {
  const float* image;
  std::int64_t first;
  ColumnPanels columns;
  PanelProduct product;
  Epilogue epilogue;
};

void set_tile(const ConvSizes& sizes, const PixelTiles& cut, const GemmFunctions& functions,
              std::int64_t index, const float* x, const float* packed_weights, float* y,
              const Epilogue& epilogue, Tile& tile) {
  const std::int64_t group = index / cut.tiles % sizes.groups;
  const std::int64_t image = index / cut.tiles / sizes.groups;
  const std::int64_t group_in = sizes.channels_in / sizes.groups;
  const std::int64_t group_out = sizes.channels_out / sizes.groups;
  tile.first = cut.first_pixel(index % cut.tiles);
  tile.image = x + (image * sizes.channels_in + group * group_in) * volume(sizes.in);
  const std::int64_t to =
      (image * sizes.channels_out + group * group_out) * cut.pixels + tile.first;
  tile.epilogue = epilogue;
  if (epilogue.addend != Addend::none) tile.epilogue.added += group * group_out;
  if (epilogue.residual != nullptr) tile.epilogue.residual += to;
  tile.epilogue.residual_stride = cut.pixels;
  tile.columns = cut_columns(cut.first_pixel(index % cut.tiles + 1) - tile.first, functions);
  tile.product = PanelProduct{.functions = &functions,
                              .k = cut.k,
                              .rows = cut_rows(group_out, functions),
                              .columns = tile.columns,
                              .a = packed_weights + group * group_out * cut.k,
                              .c = y + to,
                              .c_stride = cut.pixels,
                              .epilogue = &tile.epilogue,
                              .a_needs_prefetch = true};
}

void pack_panel(const ConvSizes& sizes, const Tile& tile, std::int64_t panel, Isa isa, float* to) {
  const std::int64_t first = tile.columns.first_column(panel);
  pack_windows(sizes, tile.image, tile.first + first, tile.columns.columns_in(panel),
               tile.columns.stored_in(panel), isa, to + first * tile.product.k);
}

}  // namespace

void pack_windows(const ConvSizes& sizes, const float* group_image, std::int64_t first,
                  std::int64_t columns, std::int64_t width, Isa isa, float* out) {
  const std::int64_t channels = sizes.channels_in / sizes.groups;
  if (is_pointwise(sizes)) {
    gemm_functions(isa).pack_rows(group_image + first, volume(sizes.in),
                                  static_cast<std::int32_t>(columns),
                                  static_cast<std::int32_t>(width), channels, out);
    return;
  }
  Im2colPanel windows = {};
  windows.image = group_image;
  windows.channel_stride = volume(sizes.in);
  windows.channels = channels;
  for (int axis = 0; axis < 3; ++axis) {
    windows.in[axis] = sizes.in[axis];
    windows.out[axis] = sizes.out[axis];
    windows.kernel[axis] = sizes.kernel[axis];
    windows.stride[axis] = sizes.stride[axis];
    windows.dilation[axis] = sizes.dilation[axis];
    windows.pad[axis] = sizes.pad[axis];
  }
  windows.first = first;
  windows.columns = static_cast<std::int32_t>(columns);
  windows.width = static_cast<std::int32_t>(width);
  windows.to = out;
  im2col_function(isa)(windows);
}

std::int64_t conv_im2col_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads) {
  if (sizes.batch <= 0 || volume(sizes.out) <= 0) return 0;
  const PixelTiles cut = cut_pixels(sizes, gemm_functions(isa));
  return cut.shares ? cut.tile_bytes : cut.tile_bytes * std::max(threads, 1);
}

void conv_im2col(const ConvSizes& sizes, const float* x, const float* packed_weights, float* y,
                 const Epilogue& epilogue, Isa isa, void* workspace, Workers& workers) {
  const GemmFunctions& functions = gemm_functions(isa);
  const PixelTiles cut = cut_pixels(sizes, functions);
  const std::int64_t tiles = sizes.batch * sizes.groups * cut.tiles;
  if (!cut.shares) {
    WorkspaceSlots slots(workspace, cut.tile_bytes, workers.count());
    workers.parallel_for(tiles, [&](std::int64_t index) {
      const WorkspaceSlots::Lease lease(slots);
      auto* packed = reinterpret_cast<float*>(lease.data());
      Tile tile;
      set_tile(sizes, cut, functions, index, x, packed_weights, y, epilogue, tile);
      tile.product.b = packed;
      tile.product.stop = workers.stop();
      for (std::int64_t panel = 0; panel < tile.columns.count; ++panel) {
        workers.poll();
        pack_panel(sizes, tile, panel, isa, packed);
      }
      multiply_panels(tile.product, 0, tile.product.rows.count, 0, tile.columns.count);
    });
    return;
  }
  auto* packed = static_cast<float*>(workspace);
  for (std::int64_t index = 0; index < tiles; ++index) {
    Tile tile;
    set_tile(sizes, cut, functions, index, x, packed_weights, y, epilogue, tile);
    tile.product.b = packed;
    tile.product.stop = workers.stop();
    workers.parallel_for(tile.columns.count,
                         [&](std::int64_t panel) { pack_panel(sizes, tile, panel, isa, packed); });
    const std::int64_t rows = tile.product.rows.count;
    const std::int64_t grain = std::max<std::int64_t>(1, rows / 16);
    workers.parallel_ranges(rows, grain, [&](std::int64_t begin, std::int64_t end) {
      multiply_panels(tile.product, begin, end, 0, tile.columns.count);
    });
  }
}

}  // namespace ortool::cpu

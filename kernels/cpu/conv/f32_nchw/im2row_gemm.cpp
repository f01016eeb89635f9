// Convolution by im2row and GEMM, output channels as vector lanes, for images of few pixels.
#include <algorithm>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/gemm/f32/epilogue.hpp"

namespace ortool::cpu {
namespace {

/// Chunks of the pixels of all images, sized so that the packed windows stay in the cache.
struct PixelPartition {
  std::int64_t k = 0;
  std::int64_t pixels = 0;  ///< per image
  std::int64_t chunk = 0;
  std::int64_t windows_bytes = 0;
  std::int64_t sums_bytes = 0;
};

PixelPartition cut_images(const ConvSizes& sizes, const GemmFunctions& functions) {
  constexpr std::int64_t cache_bytes = 1024 * 1024;
  PixelPartition cut;
  cut.k = conv_depth(sizes);
  cut.pixels = volume(sizes.out);
  const std::int64_t fitting = cache_bytes / (float_bytes * std::max<std::int64_t>(cut.k, 1));
  const std::int64_t most = std::max<std::int64_t>(fitting, 4 * functions.max_rows);
  const std::int64_t chunks = (cut.pixels + most - 1) / most;
  cut.chunk = (cut.pixels + chunks - 1) / chunks;
  cut.windows_bytes = round_up_to_line(cut.chunk * cut.k * float_bytes);
  cut.sums_bytes = round_up_to_line(cut.chunk * (sizes.channels_out / sizes.groups) * float_bytes);
  return cut;
}

}  // namespace

std::int64_t conv_im2row_workspace_bytes(const ConvSizes& sizes, Isa isa, int) {
  if (sizes.batch <= 0 || volume(sizes.out) <= 0) return 0;
  const PixelPartition cut = cut_images(sizes, gemm_functions(isa));
  return cut.windows_bytes + cut.sums_bytes;
}

void conv_im2row(const ConvSizes& sizes, const float* x, const float* packed_weights, float* y,
                 const Epilogue& epilogue, Isa isa, void* workspace, Workers& workers) {
  const GemmFunctions& functions = gemm_functions(isa);
  const PixelPartition cut = cut_images(sizes, functions);
  const std::int64_t group_in = sizes.channels_in / sizes.groups;
  const std::int64_t group_out = sizes.channels_out / sizes.groups;
  auto* windows = static_cast<float*>(workspace);
  float* sums = windows + cut.windows_bytes / float_bytes;
  const ColumnPanels columns = cut_columns(group_out, functions);
  for (std::int64_t task = 0; task < sizes.batch * sizes.groups; ++task) {
    const std::int64_t group = task % sizes.groups;
    const std::int64_t image = task / sizes.groups;
    const float* from = x + (image * sizes.channels_in + group * group_in) * volume(sizes.in);
    for (std::int64_t first = 0; first < cut.pixels; first += cut.chunk) {
      const std::int64_t count = std::min(cut.chunk, cut.pixels - first);
      const RowPanels rows = cut_rows(count, functions);
      workers.parallel_for(rows.count, [&](std::int64_t panel) {
        const std::int64_t row = rows.first_row(panel);
        pack_windows(sizes, from, first + row, rows.rows(panel), rows.rows(panel), isa,
                     windows + row * cut.k);
      });
      // With a residual, activation is deferred until it has been added, in y's own layout.
      const bool is_last_step = epilogue.residual == nullptr;
      Epilogue inner;
      if (epilogue.addend != Addend::none) {
        inner.addend = Addend::per_column;
        inner.added = epilogue.added + group * group_out;
      }
      if (is_last_step) {
        inner.activation = epilogue.activation;
        inner.low = epilogue.low;
        inner.high = epilogue.high;
      }
      const PanelProduct product{.functions = &functions,
                                 .k = cut.k,
                                 .rows = rows,
                                 .columns = columns,
                                 .a = windows,
                                 .b = packed_weights + group * columns.stored * cut.k,
                                 .c = sums,
                                 .c_stride = group_out,
                                 .epilogue = &inner,
                                 .stop = workers.stop()};
      float* to = y + (image * sizes.channels_out + group * group_out) * cut.pixels + first;
      workers.parallel_for(columns.count, [&](std::int64_t panel) {
        multiply_panels(product, 0, rows.count, panel, panel + 1);
        const std::int64_t channel = columns.first_column(panel);
        const std::int64_t channels = columns.columns_in(panel);
        constexpr std::int64_t most = 16;
        for (std::int64_t pixel = 0; pixel < count; pixel += most) {
          const auto here = static_cast<std::int32_t>(std::min(most, count - pixel));
          functions.pack_transposed(sums + pixel * group_out + channel, group_out, here, here,
                                    channels, to + channel * cut.pixels + pixel, cut.pixels);
        }
        if (is_last_step) return;
        GemmTile tile = {};
        tile.c = to + channel * cut.pixels;
        tile.c_stride = cut.pixels;
        tile.rows = static_cast<std::int32_t>(channels);
        tile.columns = static_cast<std::int32_t>(count);
        Epilogue outer = epilogue;
        outer.addend = Addend::none;
        outer.residual += tile.c - y;
        outer.residual_stride = cut.pixels;
        set_epilogue(tile, outer, 0, 0);
        apply_epilogue(tile, tile.c, tile.c_stride);
      });
    }
  }
}

}  // namespace ortool::cpu

// Winograd convolution F(4 × 4, 3 × 3) of float32 NCHW: a quarter of the multiplications of direct
// 3 × 3 convolution.
#include <algorithm>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/conv/f32_nchw/winograd_transform.hpp"
#include "kernels/cpu/conv/winograd_weights.hpp"
#include "kernels/cpu/epilogue/epilogue_at.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

/// How an image's tiles, in row-major order, are partitioned into tasks.
struct TilePartition {
  std::int64_t tile_rows = 0;
  std::int64_t tile_columns = 0;
  std::int64_t tiles = 0;
  std::int64_t task = 0;    ///< tiles per task, a multiple of the panel width
  std::int64_t tasks = 0;   ///< per image
  std::int64_t width = 0;   ///< columns per panel
  std::int64_t plane = 0;   ///< floats between the products of a panel
  std::int64_t values = 0;  ///< floats in each part of a slot
  std::int64_t sums = 0;
  std::int64_t scratch = 0;

  std::int64_t slot_bytes() const { return (values + sums + scratch) * 4; }
};

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

TilePartition cut_tiles(const ConvSizes& sizes, const GemmFunctions& functions) {
  constexpr std::int64_t cache_floats = 160 * 1024;
  constexpr std::int64_t line = 16;
  TilePartition cut;
  cut.tile_rows = divide_up(sizes.out[1], winograd_edge);
  cut.tile_columns = divide_up(sizes.out[2], winograd_edge);
  cut.tiles = cut.tile_rows * cut.tile_columns;
  cut.width = functions.panel_columns;
  const std::int64_t fitting =
      cache_floats / (winograd_products * std::max<std::int64_t>(1, sizes.channels_in) * cut.width);
  const std::int64_t panels = std::clamp<std::int64_t>(fitting, 1, 128 / cut.width);
  cut.task = std::min(panels, divide_up(cut.tiles, cut.width)) * cut.width;
  cut.tasks = divide_up(cut.tiles, cut.task);
  // An extra cache line keeps the products of a channel from conflicting in the cache.
  cut.plane = sizes.channels_in * cut.width + line;
  cut.values = cut.task / cut.width * winograd_products * cut.plane;
  const std::int64_t rows = std::max<std::int64_t>(functions.max_rows, 2);
  cut.sums = winograd_products * rows * cut.task;
  cut.scratch = (winograd_scratch_floats(cut.task) + line - 1) / line * line;
  return cut;
}

/// The 36 transformed weights of one 3 × 3 kernel.
void transform_window(const float* weights, float* out, std::int64_t stride) {
  double window[9][1];
  for (int i = 0; i < 9; ++i) window[i][0] = static_cast<double>(weights[i]);
  double factors[winograd_products][1];
  transform_windows(window, factors);
  for (std::int64_t i = 0; i < winograd_products; ++i)
    out[i * stride] = static_cast<float>(factors[i][0]);
}

class WinogradTask {
 public:
  WinogradTask(const ConvSizes& sizes, const TilePartition& cut, const Epilogue& epilogue,
               const GemmFunctions& functions, Isa isa, float* slot)
      : sizes_(sizes),
        cut_(cut),
        epilogue_(epilogue),
        functions_(functions),
        transforms_(winograd_functions(isa)),
        values_(slot),
        sums_(slot + cut.values),
        scratch_(slot + cut.values + cut.sums) {}

  /// Computes tiles [begin, end) of one image.
  void run(const float* x, const float* packed_weights, float* y, std::int64_t begin,
           std::int64_t end) {
    begin_ = begin;
    end_ = end;
    panels_ = divide_up(end - begin, cut_.width);
    const std::int64_t pixels = sizes_.in[1] * sizes_.in[2];
    for (std::int64_t channel = 0; channel < sizes_.channels_in; ++channel)
      bring_channel(x + channel * pixels, channel);
    const RowPanels rows = cut_rows(sizes_.channels_out, functions_);
    for (std::int64_t panel = 0; panel < rows.count; ++panel) {
      const std::int64_t first = rows.first_row(panel);
      const float* weights = packed_weights + first * winograd_products * sizes_.channels_in;
      multiply(weights, rows.rows(panel));
      for (std::int64_t row = 0; row < rows.rows(panel); ++row)
        restore_channel(row, first + row, y);
    }
  }

 private:
  /// Calls body(tile row, first tile column, tile count, offset within the task).
  template <typename Body>
  void for_segments(Body body) const {
    for (std::int64_t tile = begin_; tile < end_;) {
      const std::int64_t row = tile / cut_.tile_columns;
      const std::int64_t column = tile % cut_.tile_columns;
      const std::int64_t count = std::min(cut_.tile_columns - column, end_ - tile);
      body(row, column, count, tile - begin_);
      tile += count;
    }
  }

  /// Transforms one channel's tiles into the buffer of the sums, then copies them into the panels.
  void bring_channel(const float* image, std::int64_t channel) {
    const std::int64_t stride = panels_ * cut_.width;
    for_segments([&](std::int64_t row, std::int64_t column, std::int64_t count, std::int64_t at) {
      transforms_.input({image, sizes_.in[1], sizes_.in[2], row * winograd_edge - sizes_.pad[1],
                         column * winograd_edge - sizes_.pad[2], count, sums_ + at, stride,
                         scratch_});
    });
    const std::int64_t rest = stride - (end_ - begin_);
    for (std::int64_t product = 0; product < winograd_products; ++product) {
      float* from = sums_ + product * stride;
      std::fill_n(from + stride - rest, rest, 0.0F);
      for (std::int64_t panel = 0; panel < panels_; ++panel) {
        std::copy_n(
            from + panel * cut_.width, cut_.width,
            values_ + (panel * winograd_products + product) * cut_.plane + channel * cut_.width);
      }
    }
  }

  /// The products of some output channels: products × rows × tiles.
  void multiply(const float* weights, std::int64_t rows) {
    constexpr std::int64_t k_block = 256;
    const std::int64_t depth = sizes_.channels_in;
    GemmTile tile = {};
    tile.b_stride = cut_.width;
    tile.c_stride = panels_ * cut_.width;
    tile.rows = static_cast<std::int32_t>(rows);
    tile.columns = static_cast<std::int32_t>(cut_.width);
    tile.wide = 1;
    for (std::int64_t panel = 0; panel < panels_; ++panel) {
      for (std::int64_t product = 0; product < winograd_products; ++product) {
        const float* a = weights + product * depth * rows;
        const float* b = values_ + (panel * winograd_products + product) * cut_.plane;
        tile.c = sums_ + product * rows * tile.c_stride + panel * cut_.width;
        for (std::int64_t k = 0; k < depth; k += k_block) {
          tile.a = a + k * rows;
          tile.b = b + k * cut_.width;
          tile.k = std::min(k_block, depth - k);
          tile.accumulate = k > 0 ? 1 : 0;
          tile.prefetch_stride = 16;
          tile.prefetch = panel == 0 ? tile.a + depth * rows : tile.b;
          functions_.tile(tile);
        }
      }
    }
  }

  void restore_channel(std::int64_t row, std::int64_t channel, float* y) {
    const std::int64_t width = sizes_.out[2];
    const std::int64_t stride = panels_ * cut_.width;
    const std::int64_t rows = sums_rows(channel);
    for_segments(
        [&](std::int64_t tile_row, std::int64_t column, std::int64_t count, std::int64_t at) {
          const std::int64_t first_row = tile_row * winograd_edge;
          const std::int64_t first_column = column * winograd_edge;
          const std::int64_t place = (channel * sizes_.out[1] + first_row) * width + first_column;
          WinogradOutput output = {};
          output.in = sums_ + row * stride + at;
          output.stride = rows * stride;
          output.tiles = count;
          output.out = y + place;
          output.out_stride = width;
          output.rows = std::min(winograd_edge, sizes_.out[1] - first_row);
          output.columns = std::min(winograd_edge * count, width - first_column);
          set_epilogue_tile(output.epilogue, epilogue_, channel, place);
          output.scratch = scratch_;
          transforms_.output(output);
          if (!is_function(epilogue_.activation)) return;
          functions_.activate(epilogue_.activation, epilogue_.low, output.out, width, output.rows,
                              output.columns);
        });
  }

  /// Number of output channels in the panel of `channel`.
  std::int64_t sums_rows(std::int64_t channel) const {
    const RowPanels rows = cut_rows(sizes_.channels_out, functions_);
    return rows.rows(rows.panel_of(channel));
  }

  const ConvSizes& sizes_;
  const TilePartition& cut_;
  const Epilogue& epilogue_;
  const GemmFunctions& functions_;
  WinogradFunctions transforms_;
  float* values_;
  float* sums_;
  float* scratch_;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  std::int64_t panels_ = 0;
};

}  // namespace

bool is_winograd(const ConvSizes& sizes) {
  for (int axis = 0; axis < 3; ++axis) {
    if (sizes.stride[axis] != 1 || sizes.dilation[axis] != 1) return false;
  }
  return sizes.groups == 1 && sizes.kernel[0] == 1 && sizes.kernel[1] == 3 &&
         sizes.kernel[2] == 3 && sizes.in[0] == 1 && sizes.out[0] == 1 && sizes.pad[0] == 0;
}

std::int64_t winograd_weight_bytes(const ConvSizes& sizes) {
  return (winograd_products * sizes.channels_out * sizes.channels_in * 4 + 63) / 64 * 64;
}

void pack_winograd_weights(const ConvSizes& sizes, const float* weights, Isa isa, float* out,
                           Workers& workers) {
  const RowPanels rows = cut_rows(sizes.channels_out, gemm_functions(isa));
  workers.parallel_for(rows.count, [&](std::int64_t panel) {
    const std::int64_t first = rows.first_row(panel);
    const std::int64_t count = rows.rows(panel);
    float* to = out + first * winograd_products * sizes.channels_in;
    for (std::int64_t row = 0; row < count; ++row) {
      for (std::int64_t channel = 0; channel < sizes.channels_in; ++channel) {
        transform_window(weights + ((first + row) * sizes.channels_in + channel) * 9,
                         to + channel * count + row, sizes.channels_in * count);
      }
    }
  });
}

std::int64_t conv_winograd_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads) {
  if (sizes.batch <= 0 || volume(sizes.out) <= 0) return 0;
  return cut_tiles(sizes, gemm_functions(isa)).slot_bytes() * std::max(threads, 1);
}

void conv_winograd(const ConvSizes& sizes, const float* x, const float* packed_weights, float* y,
                   const Epilogue& epilogue, Isa isa, void* workspace, Workers& workers) {
  const GemmFunctions& functions = gemm_functions(isa);
  const TilePartition cut = cut_tiles(sizes, functions);
  WorkspaceSlots slots(workspace, cut.slot_bytes(), workers.count());
  workers.parallel_for(sizes.batch * cut.tasks, [&](std::int64_t index) {
    const WorkspaceSlots::Lease lease(slots);
    const std::int64_t image = index / cut.tasks;
    const std::int64_t begin = index % cut.tasks * cut.task;
    const std::int64_t out = image * sizes.channels_out * volume(sizes.out);
    Epilogue here = epilogue;
    if (here.residual != nullptr) here.residual += out;
    WinogradTask task(sizes, cut, here, functions, isa, reinterpret_cast<float*>(lease.data()));
    task.run(x + image * sizes.channels_in * volume(sizes.in), packed_weights, y + out, begin,
             std::min(begin + cut.task, cut.tiles));
  });
}

}  // namespace ortool::cpu

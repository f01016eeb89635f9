// Winograd convolution F(4 × 4, 3 × 3) of float32 NCHWc: each tile becomes 36 values per channel,
// which are multiplied by the transformed weights with the microkernel of 1 × 1 convolution.
#include <algorithm>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/conv/f32_nchwc/algorithms.hpp"
#include "kernels/cpu/conv/f32_nchwc/winograd_transform.hpp"
#include "kernels/cpu/conv/winograd_segments.hpp"
#include "kernels/cpu/conv/winograd_weights.hpp"
#include "kernels/cpu/epilogue/epilogue_at.hpp"
#include "kernels/cpu/parallel/spatial_partition.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

/// L2 budget: transformed input that is reused by all output channels.
constexpr std::int64_t l2_bytes = 1024 * 1024;
/// L2 budget: products of one group of output channels.
constexpr std::int64_t sum_cache_bytes = 300 * 1024;
/// L1 budget: weights that are reused by all tiles.
constexpr std::int64_t nearest_weights = 32 * 1024;

const NchwcWinogradFunctions& winograd_functions(const NchwcFunctions& functions) {
#if defined(__aarch64__)
  static_cast<void>(functions);
  return neon::nchwc_winograd_functions;
#else
  return functions.lanes == avx512::nchwc_functions.lanes ? avx512::nchwc_winograd_functions
                                                          : avx2::nchwc_winograd_functions;
#endif
}

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Tiles, counted over rows and images, are partitioned into pieces. A single piece is shared by
/// tasks that each take some output channels; otherwise each piece is a task with its own buffers.
struct WinogradPlan {
  WinogradPlan(const ConvSizes& sizes, const NchwcFunctions& functions)
      : lanes(functions.lanes),
        planes(divide_up(sizes.channels_in, lanes)),
        blocks(divide_up(sizes.channels_out, lanes)),
        groups(divide_up(blocks, 2)),
        tile_rows(divide_up(sizes.out[1], winograd_edge)),
        tile_columns(divide_up(sizes.out[2], winograd_edge)),
        tiles(sizes.batch * tile_rows * tile_columns) {
    const std::int64_t product_floats = winograd_products * lanes;
    const std::int64_t most =
        std::clamp<std::int64_t>(std::min(l2_bytes / (product_floats * planes * 4),
                                          sum_cache_bytes / (product_floats * 2 * 4)),
                                 1, tiles);
    pieces = divide_up(tiles, most);
    pieces += pieces > 1 ? pieces % 2 : 0;
    const std::int64_t piece_tiles = divide_up(tiles, pieces);
    values_step = (planes * piece_tiles + 1) * lanes;
    sums_step = (2 * piece_tiles + 1) * lanes;
    values_bytes = winograd_products * values_step * 4;
    sums_bytes = winograd_products * sums_step * 4;
    chunk_planes = std::max<std::int64_t>(1, nearest_weights / (lanes * 2 * lanes * 4));
    chunk_planes = divide_up(planes, divide_up(planes, chunk_planes));
  }

  std::int64_t piece_begin(std::int64_t piece) const { return tiles * piece / pieces; }

  std::int64_t transform_tasks() const {
    constexpr double tile_ns = 50;
    return task_count(tile_ns * static_cast<double>(planes * tiles));
  }
  std::int64_t multiply_tasks() const {
    constexpr double products_a_nanosecond = 70;
    const double products = static_cast<double>(winograd_products * tiles * lanes * lanes) *
                            static_cast<double>(planes * blocks);
    return std::min(groups, task_count(products / products_a_nanosecond));
  }

  std::int64_t lanes;
  std::int64_t planes;
  std::int64_t blocks;
  std::int64_t groups;  ///< pairs of output-channel blocks
  std::int64_t tile_rows;
  std::int64_t tile_columns;
  std::int64_t tiles;
  std::int64_t pieces;
  std::int64_t values_step;  ///< floats between products; an extra cache line keeps products of a
                             ///< tile from conflicting in the cache
  std::int64_t sums_step;
  std::int64_t values_bytes;
  std::int64_t sums_bytes;
  std::int64_t chunk_planes;
};

class WinogradTileRange {
 public:
  WinogradTileRange(const ConvSizes& sizes, const WinogradPlan& plan,
                    const NchwcConvOperands& operands, const NchwcFunctions& functions,
                    std::int64_t piece, float* values)
      : sizes_(sizes),
        plan_(plan),
        operands_(operands),
        functions_(functions),
        transforms_(winograd_functions(functions)),
        begin_(plan.piece_begin(piece)),
        count_(plan.piece_begin(piece + 1) - begin_),
        values_(values) {}

  void bring_planes(std::int64_t begin, std::int64_t end) const {
    const std::int64_t lanes = plan_.lanes;
    const std::int64_t pixels = volume(sizes_.in);
    for (std::int64_t plane = begin; plane < end; ++plane) {
      for_segments(
          plan_.tile_rows, plan_.tile_columns, begin_, count_, [&](const TileSegment& segment) {
            NchwcWinogradInput input = {};
            input.plane =
                operands_.x.floats + (segment.image * plan_.planes + plane) * pixels * lanes;
            input.height = sizes_.in[1];
            input.width = sizes_.in[2];
            input.row = segment.row * winograd_edge - sizes_.pad[1];
            input.column = segment.column * winograd_edge - sizes_.pad[2];
            input.tiles = segment.tiles;
            input.out = values_ + (plane * count_ + segment.place) * lanes;
            input.product_step = plan_.values_step;
            transforms_.input(input);
          });
    }
  }

  void compute_groups(std::int64_t begin, std::int64_t end, float* sums) const {
    for (std::int64_t group = begin; group < end; ++group) {
      const auto vectors =
          static_cast<std::int32_t>(std::min<std::int64_t>(2, plan_.blocks - 2 * group));
      multiply(group, vectors, sums);
      for (std::int64_t v = 0; v < vectors; ++v)
        restore_block(2 * group + v, sums + v * count_ * plan_.lanes);
    }
  }

 private:
  /// Computes the 36 products of all tiles for one group of output channels.
  void multiply(std::int64_t group, std::int32_t vectors, float* sums) const {
    const std::int64_t lanes = plan_.lanes;
    const std::int64_t plane_weights = lanes * vectors * lanes;
    const std::int64_t most = functions_.max_pixels[vectors - 1];
    const std::int64_t tiles = divide_up(count_, most);
    NchwcTile tile = {};
    tile.pixel_step = lanes;
    tile.plane_step = count_ * lanes;
    tile.x_ahead = tile.plane_step;
    tile.x_ahead_step = lanes;
    tile.rows = 1;
    tile.weight_rows = 1;
    tile.y_vector_step = count_ * lanes;
    tile.weights = operands_.weights + group * 2 * lanes * winograd_products * plan_.planes * lanes;
    for (std::int64_t product = 0; product < winograd_products; ++product) {
      for (std::int64_t plane = 0; plane < plan_.planes; plane += plan_.chunk_planes) {
        const std::int64_t planes = std::min(plan_.chunk_planes, plan_.planes - plane);
        const float* next = tile.weights + planes * plane_weights;
        tile.sections[0] = {planes, 1, lanes, 0, 1};
        tile.begins = plane == 0;
        for (std::int64_t i = 0; i < tiles; ++i) {
          const std::int64_t first = count_ * i / tiles;
          const std::int64_t last = count_ * (i + 1) / tiles;
          tile.x = values_ + product * plan_.values_step + (plane * count_ + first) * lanes;
          tile.y = sums + product * plan_.sums_step + first * lanes;
          share_ahead(next, planes * lanes, vectors * lanes, i, tiles, tile);
          functions_.tile(tile, vectors, static_cast<std::int32_t>(last - first));
        }
        tile.weights = next;
      }
    }
  }

  /// Assigns each tile a share of the next weights to prefetch.
  static void share_ahead(const float* next, std::int64_t numbers, std::int64_t width,
                          std::int64_t index, std::int64_t tiles, NchwcTile& tile) {
    tile.ahead_step = divide_up(width, tiles);
    if (index * tile.ahead_step < width) {
      tile.ahead = next + index * tile.ahead_step * numbers;
    } else {
      tile.ahead = tile.y;
      tile.ahead_step = 0;
    }
  }

  void restore_block(std::int64_t block, const float* sums) const {
    const std::int64_t lanes = plan_.lanes;
    const std::int64_t width = sizes_.out[2];
    for_segments(
        plan_.tile_rows, plan_.tile_columns, begin_, count_, [&](const TileSegment& segment) {
          const std::int64_t row = segment.row * winograd_edge;
          const std::int64_t column = segment.column * winograd_edge;
          const std::int64_t plane = segment.image * plan_.blocks + block;
          const std::int64_t place = ((plane * sizes_.out[1] + row) * width + column) * lanes;
          NchwcWinogradOutput output = {};
          output.in = sums + segment.place * lanes;
          output.product_step = plan_.sums_step;
          output.tiles = segment.tiles;
          output.y = operands_.y.floats + place;
          output.row_step = width * lanes;
          output.rows = std::min(winograd_edge, sizes_.out[1] - row);
          output.columns = std::min(winograd_edge * segment.tiles, width - column);
          set_epilogue_tile(output.epilogue, operands_.epilogue, block * lanes, place);
          transforms_.output(output);
        });
  }

  const ConvSizes& sizes_;
  const WinogradPlan& plan_;
  const NchwcConvOperands& operands_;
  const NchwcFunctions& functions_;
  const NchwcWinogradFunctions& transforms_;
  std::int64_t begin_;
  std::int64_t count_;
  float* values_;
};

}  // namespace

bool can_use_winograd(const ConvSizes& sizes) {
  bool fits = sizes.groups == 1 && sizes.in[0] == 1 && sizes.kernel[0] == 1;
  for (const int axis : {1, 2})
    fits = fits && sizes.kernel[axis] == 3 && sizes.stride[axis] == 1 && sizes.dilation[axis] == 1;
  return fits;
}

double nchwc_winograd_nanoseconds(const ConvSizes& sizes, std::int64_t lanes) {
  const std::int64_t planes = divide_up(sizes.channels_in, lanes);
  const std::int64_t blocks = divide_up(sizes.channels_out, lanes);
  const std::int64_t tiles =
      sizes.batch * divide_up(sizes.out[1], winograd_edge) * divide_up(sizes.out[2], winograd_edge);
  const std::int64_t factors = winograd_products * planes * blocks * lanes * lanes;
  constexpr double products_a_nanosecond = 75;
  constexpr double transform_ns = 45;
  constexpr double weights_a_nanosecond = 6;
  const double computing = static_cast<double>(factors * tiles) / products_a_nanosecond +
                           static_cast<double>(tiles * (planes + blocks)) * transform_ns;
  return std::max(computing, static_cast<double>(factors) / weights_a_nanosecond);
}

bool is_worth_nchwc_winograd(const ConvSizes& sizes) {
  if (!can_use_winograd(sizes)) return false;
  constexpr std::int64_t lanes = 16;
  constexpr double products_a_nanosecond = 80;
  constexpr double gain = 1.25;
  const std::int64_t products = sizes.batch * volume(sizes.out) * sizes.channels_out *
                                sizes.channels_in * volume(sizes.kernel);
  return nchwc_winograd_nanoseconds(sizes, lanes) * gain <
         static_cast<double>(products) / products_a_nanosecond;
}

std::int64_t nchwc_winograd_weight_bytes(const ConvSizes& sizes, std::int64_t lanes) {
  return divide_up(sizes.channels_out, lanes) * divide_up(sizes.channels_in, lanes) * lanes *
         lanes * winograd_products * 4;
}

void pack_nchwc_winograd_weights(const ConvSizes& sizes, const float* weights, std::int64_t lanes,
                                 float* out, Workers& workers) {
  constexpr std::int64_t taps = 9;
  constexpr std::int64_t widest = 32;
  const std::int64_t blocks = divide_up(sizes.channels_out, lanes);
  const std::int64_t depth = divide_up(sizes.channels_in, lanes) * lanes;
  workers.parallel_for(divide_up(blocks, 2), [&](std::int64_t group) {
    const std::int64_t first = group * 2 * lanes;
    const std::int64_t width = std::min<std::int64_t>(2, blocks - 2 * group) * lanes;
    float* to = out + first * winograd_products * depth;
    for (std::int64_t channel = 0; channel < depth; ++channel) {
      double windows[taps][widest] = {};
      const std::int64_t filled =
          channel < sizes.channels_in ? std::min(width, sizes.channels_out - first) : 0;
      for (std::int64_t i = 0; i < filled; ++i) {
        const float* from = weights + ((first + i) * sizes.channels_in + channel) * taps;
        for (std::int64_t tap = 0; tap < taps; ++tap)
          windows[tap][i] = static_cast<double>(from[tap]);
      }
      double factors[winograd_products][widest];
      transform_windows(windows, factors);
      for (std::int64_t product = 0; product < winograd_products; ++product) {
        float* line = to + (product * depth + channel) * width;
        for (std::int64_t i = 0; i < width; ++i) line[i] = static_cast<float>(factors[product][i]);
      }
    }
  });
}

std::int64_t nchwc_winograd_workspace_bytes(const ConvSizes& sizes, const NchwcFunctions& functions,
                                            int threads) {
  const WinogradPlan plan(sizes, functions);
  if (plan.pieces == 1)
    return plan.values_bytes + plan.sums_bytes * std::min<std::int64_t>(threads, plan.groups);
  return (plan.values_bytes + plan.sums_bytes) * std::min<std::int64_t>(threads, plan.pieces);
}

void conv_nchwc_winograd(const ConvSizes& sizes, const NchwcConvOperands& operands,
                         const NchwcFunctions& functions, void* workspace, Workers& workers) {
  const WinogradPlan plan(sizes, functions);
  auto* space = static_cast<std::byte*>(workspace);
  if (plan.pieces == 1) {
    const WinogradTileRange piece(sizes, plan, operands, functions, 0,
                                  reinterpret_cast<float*>(space));
    WorkspaceSlots slots(space + plan.values_bytes, plan.sums_bytes,
                         static_cast<int>(std::min<std::int64_t>(workers.count(), plan.groups)));
    workers.parallel_ranges(
        plan.planes, divide_up(plan.planes, plan.transform_tasks()),
        [&](std::int64_t begin, std::int64_t end) { piece.bring_planes(begin, end); });
    workers.parallel_ranges(plan.groups, divide_up(plan.groups, plan.multiply_tasks()),
                            [&](std::int64_t begin, std::int64_t end) {
                              const WorkspaceSlots::Lease lease(slots);
                              piece.compute_groups(begin, end,
                                                   reinterpret_cast<float*>(lease.data()));
                            });
    return;
  }
  WorkspaceSlots slots(space, plan.values_bytes + plan.sums_bytes,
                       static_cast<int>(std::min<std::int64_t>(workers.count(), plan.pieces)));
  workers.parallel_for(plan.pieces, [&](std::int64_t index) {
    const WorkspaceSlots::Lease lease(slots);
    auto* values = reinterpret_cast<float*>(lease.data());
    const WinogradTileRange piece(sizes, plan, operands, functions, index, values);
    piece.bring_planes(0, plan.planes);
    piece.compute_groups(0, plan.groups, values + plan.values_bytes / 4);
  });
}

}  // namespace ortool::cpu

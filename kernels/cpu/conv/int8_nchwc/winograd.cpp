// Winograd convolution F(4 × 4, 3 × 3) of int8 NCHW16c in integers: the fractions are multiplied
// out, and the remaining factor is removed by a division by 9, which is exact modulo 2^32, and by a
// power of two. The sums equal those of direct convolution.
#include <algorithm>

#include "kernels/cpu/conv/int8_nchwc/algorithms.hpp"
#include "kernels/cpu/conv/int8_nchwc/winograd_transform.hpp"
#include "kernels/cpu/conv/winograd_segments.hpp"
#include "kernels/cpu/gemm/int8/pack.hpp"
#include "kernels/cpu/parallel/spatial_partition.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t tile_edge = winograd_int8_edge;
constexpr std::int64_t product_count = winograd_int8_products;
/// Size of one channel block of a tile's transformed values, or of the sums of one product.
constexpr std::int64_t value_bytes = int8_block * 2;
constexpr std::int64_t sum_bytes = int8_block * 4;
/// Weights per product: one input block by one output block.
constexpr std::int64_t weight_numbers = int8_block * int8_block;

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Tiles, counted over rows and images, are partitioned into pieces. A single piece is shared by
/// tasks that each take some output channels; otherwise each piece is a task with its own buffers.
struct WinogradInt8Plan {
  std::int64_t planes;
  std::int64_t blocks;
  std::int64_t tile_rows;
  std::int64_t tile_columns;
  std::int64_t tiles;
  std::int64_t pieces;
  std::int64_t value_step;  ///< elements between products
  std::int64_t sum_step;
  std::int64_t values_bytes;
  std::int64_t ties_at;     ///< after a task's sums
  std::int64_t sums_bytes;  ///< including ties

  explicit WinogradInt8Plan(const ConvSizes& sizes)
      : planes(int8_blocks(sizes.channels_in)),
        blocks(int8_blocks(sizes.channels_out)),
        tile_rows(ceil_divide(sizes.out[1], tile_edge)),
        tile_columns(ceil_divide(sizes.out[2], tile_edge)),
        tiles(sizes.batch * tile_rows * tile_columns) {
    constexpr std::int64_t l2_bytes = 384 * 1024;
    constexpr std::int64_t sum_cache_bytes = 128 * 1024;
    const std::int64_t most =
        std::clamp<std::int64_t>(std::min(l2_bytes / (product_count * value_bytes * planes),
                                          sum_cache_bytes / (product_count * sum_bytes)),
                                 1, tiles);
    pieces = ceil_divide(tiles, most);
    pieces += pieces > 1 ? pieces % 2 : 0;
    const std::int64_t piece_tiles = ceil_divide(tiles, pieces);
    // An extra block keeps products of a tile from conflicting in the cache.
    value_step = (planes * piece_tiles + 1) * int8_block;
    sum_step = (piece_tiles + 1) * int8_block;
    values_bytes = ceil_divide(product_count * value_step * 2, 64) * 64;
    ties_at = product_count * sum_step * 4;
    sums_bytes = ceil_divide(ties_at + piece_tiles * tile_edge * 8, 64) * 64;
  }

  std::int64_t piece_begin(std::int64_t piece) const { return tiles * piece / pieces; }
  double multiply_ns() const {
    constexpr double products_a_nanosecond = 70;
    return static_cast<double>(product_count * tiles * planes * blocks * weight_numbers) /
           products_a_nanosecond;
  }
};

class WinogradInt8Task {
 public:
  WinogradInt8Task(const NchwcInt8Conv& conv, const WinogradInt8Plan& plan, std::int64_t piece,
                   std::byte* values)
      : conv_(conv),
        sizes_(conv.sizes),
        plan_(plan),
        functions_(*conv.functions.winograd),
        begin_(plan.piece_begin(piece)),
        count_(plan.piece_begin(piece + 1) - begin_),
        values_(reinterpret_cast<std::int16_t*>(values)) {}

  void bring_planes(std::int64_t begin, std::int64_t end) const {
    const std::int64_t plane_bytes = volume(sizes_.in) * int8_block;
    for (std::int64_t plane = begin; plane < end; ++plane) {
      for_segments(plan_.tile_rows, plan_.tile_columns, begin_, count_,
                   [&](const TileSegment& segment) {
                     WinogradInt8Input input = {};
                     input.plane = conv_.x + (segment.image * plan_.planes + plane) * plane_bytes;
                     input.height = sizes_.in[1];
                     input.width = sizes_.in[2];
                     input.row = segment.row * tile_edge - sizes_.pad[1];
                     input.column = segment.column * tile_edge - sizes_.pad[2];
                     input.tiles = segment.tiles;
                     input.flip = conv_.desc.image_flip;
                     input.fill = conv_.fill();
                     input.out = values_ + (plane * count_ + segment.place) * int8_block;
                     input.product_step = plan_.value_step;
                     functions_.input(input);
                   });
    }
  }

  void compute_blocks(std::int64_t begin, std::int64_t end, std::byte* space) const {
    auto* sums = reinterpret_cast<std::int32_t*>(space);
    auto* ties = reinterpret_cast<std::uint64_t*>(space + plan_.ties_at);
    for (std::int64_t block = begin; block < end; ++block) {
      const auto* weights = reinterpret_cast<const std::int16_t*>(conv_.packed) +
                            block * product_count * plan_.planes * weight_numbers;
      for (std::int64_t product = 0; product < product_count; ++product) {
        functions_.product({values_ + product * plan_.value_step, count_ * int8_block, plan_.planes,
                            count_, weights + product * plan_.planes * weight_numbers,
                            sums + product * plan_.sum_step});
      }
      for_segments(plan_.tile_rows, plan_.tile_columns, begin_, count_,
                   [&](const TileSegment& segment) { restore(block, segment, sums, ties); });
    }
  }

 private:
  void restore(std::int64_t block, const TileSegment& segment, const std::int32_t* sums,
               std::uint64_t* ties) const {
    const std::int64_t width = sizes_.out[2];
    const std::int64_t row = segment.row * tile_edge;
    const std::int64_t column = segment.column * tile_edge;
    const std::int64_t plane = segment.image * plan_.blocks + block;
    WinogradInt8Output output = {};
    output.sums = sums + segment.place * int8_block;
    output.product_step = plan_.sum_step;
    output.tiles = segment.tiles;
    output.y = conv_.y + ((plane * sizes_.out[1] + row) * width + column) * int8_block;
    output.row_step = width * int8_block;
    output.rows = std::min(tile_edge, sizes_.out[1] - row);
    output.columns = std::min(tile_edge * segment.tiles, width - column);
    conv_.set_epilogue(output.epilogue, block);
    output.ties = ties;
    if (!functions_.output(output)) return;
    for (std::int64_t tile = 0; tile < segment.tiles; ++tile) {
      const std::int64_t first = column + tile * tile_edge;
      for (std::int64_t i = 0; i < output.rows; ++i) {
        resolve_ties(conv_, segment.image, block, (row + i) * width + first,
                     std::min(tile_edge, width - first), ties + tile * tile_edge + i);
      }
    }
  }

  const NchwcInt8Conv& conv_;
  const ConvSizes& sizes_;
  const WinogradInt8Plan& plan_;
  const WinogradInt8Functions& functions_;
  std::int64_t begin_;
  std::int64_t count_;
  std::int16_t* values_;
};

/// Transforms three weights of a row or column, scaled to integers.
void transform_weights(const int (&g)[3], int (&u)[6]) {
  u[0] = g[0];
  u[1] = -g[0] - g[1] - g[2];
  u[2] = -g[0] + g[1] - g[2];
  u[3] = g[0] + 2 * g[1] + 4 * g[2];
  u[4] = g[0] - 2 * g[1] + 4 * g[2];
  u[5] = g[2];
}

/// The 36 transformed weights of one 3 × 3 kernel.
void transform_window(const std::uint8_t* window, std::uint8_t flip, int (&factors)[6][6]) {
  int half[6][3];
  for (int column = 0; column < 3; ++column) {
    int g[3];
    for (int row = 0; row < 3; ++row)
      g[row] = static_cast<std::int8_t>(window[row * 3 + column] ^ flip);
    int u[6];
    transform_weights(g, u);
    for (int row = 0; row < 6; ++row) half[row][column] = u[row];
  }
  for (int row = 0; row < 6; ++row) transform_weights(half[row], factors[row]);
}

/// Whether the positive and the negative sums of each channel's products are small enough.
bool has_small_sums(const ConvSizes& sizes, const std::uint8_t* weights, std::uint8_t flip) {
  constexpr std::int64_t largest_byte = 255;
  const std::int64_t depth = sizes.channels_in * volume(sizes.kernel);
  for (std::int64_t channel = 0; channel < sizes.channels_out; ++channel) {
    std::int64_t above = 0;
    std::int64_t below = 0;
    for (std::int64_t i = 0; i < depth; ++i) {
      const std::int64_t weight = static_cast<std::int8_t>(weights[channel * depth + i] ^ flip);
      (weight > 0 ? above : below) += weight;
    }
    if (std::max(above, -below) * largest_byte >= winograd_int8_most_sum) return false;
  }
  return true;
}

bool is_worth_winograd_int8(const ConvSizes& sizes) {
  bool fits = sizes.groups == 1 && sizes.in[0] == 1 && sizes.kernel[0] == 1;
  for (const int axis : {1, 2})
    fits = fits && sizes.kernel[axis] == 3 && sizes.stride[axis] == 1 && sizes.dilation[axis] == 1;
  if (!fits) return false;
  // Decides by measured rates.
  const WinogradInt8Plan plan(sizes);
  constexpr double products_a_nanosecond = 80;
  constexpr double transform_ns = 35;
  constexpr double restore_ns = 65;
  constexpr double weights_a_nanosecond = 6;
  const auto factors =
      static_cast<double>(product_count * plan.planes * plan.blocks * weight_numbers);
  const double computing =
      factors * static_cast<double>(plan.tiles) / products_a_nanosecond +
      static_cast<double>(plan.tiles) * (static_cast<double>(plan.planes) * transform_ns +
                                         static_cast<double>(plan.blocks) * restore_ns);
  const auto pixels = static_cast<double>(sizes.batch * volume(sizes.out));
  constexpr double taps = 9;
  const double directly =
      pixels * static_cast<double>(plan.blocks) *
      (3 + static_cast<double>(plan.planes * weight_numbers) * taps / products_a_nanosecond);
  return std::max(computing, factors / weights_a_nanosecond) < directly;
}

std::int64_t transformed_bytes(const ConvSizes& sizes) {
  constexpr std::int64_t number_bytes = 2;
  return int8_blocks(sizes.channels_out) * int8_blocks(sizes.channels_in) * product_count *
         weight_numbers * number_bytes;
}

}  // namespace

bool can_use_winograd_int8(const ConvSizes& sizes, const std::uint8_t* weights, std::uint8_t flip) {
  return is_worth_winograd_int8(sizes) && has_small_sums(sizes, weights, flip);
}

/// The weights follow as they are: reading them back from their transforms would take longer than
/// what they are read for.
std::int64_t packed_winograd_int8_bytes(const ConvSizes& sizes) {
  return transformed_bytes(sizes) + sizes.channels_out * sizes.channels_in * volume(sizes.kernel);
}

void pack_winograd_int8(const ConvSizes& sizes, const std::uint8_t* weights, std::uint8_t flip,
                        std::uint8_t* out) {
  const std::int64_t planes = int8_blocks(sizes.channels_in);
  auto* to = reinterpret_cast<std::int16_t*>(out);
  std::fill_n(to, transformed_bytes(sizes) / 2, std::int16_t{0});
  for (std::int64_t channel = 0; channel < sizes.channels_out; ++channel) {
    const std::int64_t lane = channel % int8_block;
    std::int16_t* block = to + channel / int8_block * product_count * planes * weight_numbers;
    for (std::int64_t from = 0; from < sizes.channels_in; ++from) {
      int factors[6][6];
      transform_window(weights + (channel * sizes.channels_in + from) * 9, flip, factors);
      const std::int64_t at = from / 2 * int8_block * 2 + lane * 2 + from % 2;
      for (std::int64_t product = 0; product < product_count; ++product) {
        block[product * planes * weight_numbers + at] =
            static_cast<std::int16_t>(factors[product / 6][product % 6]);
      }
    }
  }
  copy_flipped(weights, sizes.channels_out * sizes.channels_in * volume(sizes.kernel), flip,
               out + transformed_bytes(sizes));
}

void read_winograd_int8(const ConvSizes& sizes, const std::uint8_t* packed,
                        const WeightRange& range, std::int8_t* out) {
  const std::int64_t taps = volume(sizes.kernel);
  const auto* weights = reinterpret_cast<const std::int8_t*>(packed) + transformed_bytes(sizes) +
                        (range.channel * sizes.channels_in + range.first_input) * taps;
  for (std::int64_t i = 0; i < range.inputs; ++i, out += range.taps)
    std::copy_n(weights + i * taps + range.first_tap, range.taps, out);
}

std::int64_t winograd_int8_workspace_bytes(const ConvSizes& sizes, int threads) {
  const WinogradInt8Plan plan(sizes);
  const std::int64_t slots = std::max(threads, 1);
  if (plan.pieces == 1) return plan.values_bytes + plan.sums_bytes * slots;
  return (plan.values_bytes + plan.sums_bytes) * slots;
}

void convolve_winograd(const NchwcInt8Conv& conv, void* workspace, Workers& workers) {
  const WinogradInt8Plan plan(conv.sizes);
  auto* space = static_cast<std::byte*>(workspace);
  if (plan.pieces == 1) {
    constexpr double plane_tile_ns = 35;
    const WinogradInt8Task piece(conv, plan, 0, space);
    WorkspaceSlots slots(space + plan.values_bytes, plan.sums_bytes, workers.count());
    const double input_ns = plane_tile_ns * static_cast<double>(plan.planes * plan.tiles);
    workers.parallel_ranges(
        plan.planes, grain_size(plan.planes, input_ns),
        [&](std::int64_t begin, std::int64_t end) { piece.bring_planes(begin, end); });
    workers.parallel_ranges(plan.blocks, grain_size(plan.blocks, plan.multiply_ns()),
                            [&](std::int64_t begin, std::int64_t end) {
                              const WorkspaceSlots::Lease lease(slots);
                              piece.compute_blocks(begin, end, lease.data());
                            });
    return;
  }
  WorkspaceSlots slots(space, plan.values_bytes + plan.sums_bytes, workers.count());
  workers.parallel_for(plan.pieces, [&](std::int64_t index) {
    const WorkspaceSlots::Lease lease(slots);
    const WinogradInt8Task piece(conv, plan, index, lease.data());
    piece.bring_planes(0, plan.planes);
    piece.compute_blocks(0, plan.blocks, lease.data() + plan.values_bytes);
  });
}

}  // namespace ortool::cpu

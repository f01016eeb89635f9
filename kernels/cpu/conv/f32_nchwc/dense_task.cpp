// Dense NCHWc convolution of a task: register tiles along each row. With horizontal padding, input
// rows are first copied into a zero-padded buffer.
#include "kernels/cpu/conv/f32_nchwc/dense_task.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/epilogue/epilogue_at.hpp"
#include "kernels/cpu/isa/built_features.hpp"

namespace ortool::cpu {
namespace {

/// L2 budget: input that is reused by all output channels.
constexpr std::int64_t prefetch_bytes = 768 * 1024;
/// L1 budget: weights that are reused by all pixels of that input.
constexpr std::int64_t nearest_bytes = 24 * 1024;

/// Input rows from the first to the last of a window.
std::int64_t rows_read_by_a_window(const ConvSizes& sizes) {
  return (sizes.kernel[1] - 1) * sizes.dilation[1] + 1;
}

}  // namespace

NchwcDensePlan::NchwcDensePlan(const ConvSizes& sizes, NchwcConvAlgorithm path,
                               const NchwcFunctions& functions)
    : lanes(functions.lanes),
      is_plain(path == NchwcConvAlgorithm::from_nchw),
      is_long(is_pointwise(sizes)),
      pixel_floats(is_plain ? 1 : lanes),
      planes(is_plain ? sizes.channels_in : (sizes.channels_in + lanes - 1) / lanes),
      rows(is_long ? 1 : sizes.out[1]),
      columns(is_long ? volume(sizes.out) : sizes.out[2]),
      groups(((sizes.channels_out + lanes - 1) / lanes + 1) / 2),
      depth(sizes.channels_in * volume(sizes.kernel)) {
  span = (columns - 1) * (is_long ? 1 : sizes.stride[2]) +
         (sizes.kernel[2] - 1) * sizes.dilation[2] + 1;
  is_copied = !is_long && (sizes.pad[2] > 0 || span > sizes.in[2]);
  if (is_copied) {
    const std::int64_t reach = rows_read_by_a_window(sizes);
    const std::int64_t row_bytes = planes * span * pixel_floats * 4;
    chunk_rows = std::max<std::int64_t>(1, (prefetch_bytes / row_bytes - reach) / sizes.stride[1]);
    chunk_rows = std::min(chunk_rows, rows);
    limit_copied_rows(sizes, chunk_rows);
  } else {
    const std::int64_t row_bytes = planes * sizes.in[2] * sizes.stride[1] * pixel_floats * 4;
    chunk_rows =
        std::clamp<std::int64_t>(prefetch_bytes / std::max<std::int64_t>(1, row_bytes), 1, rows);
  }
  const std::int64_t tile = functions.max_pixels[1];
  unit_columns = sizes.out[1] > 1 ? sizes.out[2] : tile;
  chunk_columns =
      is_long ? std::max(4 * tile, prefetch_bytes / (planes * pixel_floats * 4) / tile * tile)
              : columns;
  const std::int64_t plane_weights = volume(sizes.kernel) * pixel_floats * 2 * lanes * 4;
  const std::int64_t wanted = (planes * plane_weights + nearest_bytes - 1) / nearest_bytes;
  chunk_planes = (planes + wanted - 1) / wanted;
}

SpatialPartition NchwcDensePlan::cut(const ConvSizes& sizes) const {
  const double flops = 2.0 * static_cast<double>(sizes.channels_out) *
                       static_cast<double>(volume(sizes.out)) * static_cast<double>(depth);
  constexpr double flops_a_nanosecond = 150;
  const std::int64_t units = is_long ? (columns + unit_columns - 1) / unit_columns : rows;
  const bool are_images_larger =
      sizes.channels_out * depth <=
      sizes.channels_in * volume(sizes.in) + sizes.channels_out * volume(sizes.out);
  return {sizes.batch, units, groups, are_images_larger,
          static_cast<double>(sizes.batch) * flops / flops_a_nanosecond};
}

void NchwcDensePlan::limit_copied_rows(const ConvSizes& sizes, std::int64_t most) {
  if (!is_copied) return;
  chunk_rows = std::min(chunk_rows, most);
  buffer_rows = (chunk_rows - 1) * sizes.stride[1] + rows_read_by_a_window(sizes);
  buffer_bytes = (planes * buffer_rows * span * pixel_floats * 4 + 63) / 64 * 64;
}

NchwcDenseTask::NchwcDenseTask(const ConvSizes& sizes, const NchwcDensePlan& plan,
                               const NchwcConvOperands& operands, const NchwcFunctions& functions,
                               std::int64_t image, float* buffer)
    : sizes_(sizes),
      plan_(plan),
      operands_(operands),
      functions_(functions),
      image_(image),
      buffer_(buffer),
      x_(operands.x.floats + image * plan.planes * sizes.in[1] * sizes.in[2] * plan.pixel_floats) {}

void NchwcDenseTask::run(const PartitionTile& piece) const {
  const std::int64_t out_pixels = volume(sizes_.out);
  const std::int64_t blocks = (sizes_.channels_out + plan_.lanes - 1) / plan_.lanes;
  const std::int64_t block_floats = out_pixels * plan_.lanes;
  const NchwcResultRows to{operands_.y.floats + image_ * blocks * block_floats, 0, 0, block_floats};
  if (!plan_.is_long)
    return run_rows(piece.row_begin, piece.row_end, piece.block_begin, piece.block_end, to);
  run_columns(piece.row_begin * plan_.unit_columns,
              std::min(piece.row_end * plan_.unit_columns, plan_.columns), piece.block_begin,
              piece.block_end, to);
}

void NchwcDenseTask::run_rows(std::int64_t row_begin, std::int64_t row_end,
                              std::int64_t group_begin, std::int64_t group_end,
                              const NchwcResultRows& to) const {
  if (plan_.is_long) {
    return run_columns(row_begin * sizes_.out[2], row_end * sizes_.out[2], group_begin, group_end,
                       to);
  }
  for (std::int64_t row = row_begin; row < row_end;) {
    const std::int64_t end = std::min(row + plan_.chunk_rows, row_end);
    const Source source = plan_.is_copied
                              ? copied_rows(row, end)
                              : Source{x_, 0, sizes_.in[2], sizes_.in[1], sizes_.pad[2]};
    run_groups(source, {row, end, 0, plan_.columns}, group_begin, group_end, to);
    row = end;
  }
}

void NchwcDenseTask::run_columns(std::int64_t begin, std::int64_t end, std::int64_t group_begin,
                                 std::int64_t group_end, const NchwcResultRows& to) const {
  const Source source{x_, 0, sizes_.in[2], sizes_.in[1], 0};
  for (std::int64_t column = begin; column < end;) {
    const std::int64_t last = std::min(column + plan_.chunk_columns, end);
    run_groups(source, {0, 1, column, last}, group_begin, group_end, to);
    column = last;
  }
}

void NchwcDenseTask::run_groups(const Source& source, const Part& part, std::int64_t group_begin,
                                std::int64_t group_end, const NchwcResultRows& to) const {
  const std::int64_t lanes = plan_.lanes;
  const std::int64_t positions = volume(sizes_.kernel);
  const std::int64_t blocks = (sizes_.channels_out + lanes - 1) / lanes;
  const float* weights_end = operands_.weights + blocks * lanes * plan_.depth;
  for (std::int64_t group = group_begin; group < group_end; ++group) {
    const auto vectors = static_cast<std::int32_t>(std::min<std::int64_t>(2, blocks - 2 * group));
    const std::int64_t most = functions_.max_pixels[vectors - 1];
    const std::int64_t row_tiles = (part.column_end - part.column_begin + most - 1) / most;
    const std::int64_t tiles = row_tiles * (part.row_end - part.row_begin);
    const float* weights = operands_.weights + group * 2 * lanes * plan_.depth;
    for (std::int64_t plane = 0; plane < plan_.planes; plane += plan_.chunk_planes) {
      const std::int64_t end = std::min(plane + plan_.chunk_planes, plan_.planes);
      const std::int64_t channels =
          plan_.is_plain ? end - plane : std::min(end * lanes, sizes_.channels_in) - plane * lanes;
      Planes planes{plane, end, weights, channels * positions, operands_.weights, 0};
      weights += planes.numbers * vectors * lanes;
      if (weights < weights_end) {
        planes.ahead = weights;
        planes.ahead_step = (vectors * lanes + tiles - 1) / tiles;
      }
      for (std::int64_t row = part.row_begin; row < part.row_end; ++row)
        run_row(source, row, part, group, planes, (row - part.row_begin) * row_tiles, to);
    }
  }
}

/// Copies the rows read by output rows [begin, end) into the buffer, zero-padded on both sides.
NchwcDenseTask::Source NchwcDenseTask::copied_rows(std::int64_t begin, std::int64_t end) const {
  const std::int64_t reach = (sizes_.kernel[1] - 1) * sizes_.dilation[1];
  const std::int64_t start = begin * sizes_.stride[1] - sizes_.pad[1];
  const std::int64_t stop = (end - 1) * sizes_.stride[1] - sizes_.pad[1] + reach + 1;
  const std::int64_t first = std::clamp<std::int64_t>(start, 0, sizes_.in[1]);
  const std::int64_t last = std::clamp<std::int64_t>(stop, first, sizes_.in[1]);
  const std::int64_t pixel = plan_.pixel_floats;
  const std::int64_t pad = std::min(sizes_.pad[2], plan_.span);
  const std::int64_t inside = std::min(sizes_.in[2], plan_.span - pad);
  const std::int64_t behind = plan_.span - pad - inside;
  for (std::int64_t plane = 0; plane < plan_.planes; ++plane) {
    const float* from = x_ + (plane * sizes_.in[1] + first) * sizes_.in[2] * pixel;
    float* to = buffer_ + plane * plan_.buffer_rows * plan_.span * pixel;
    for (std::int64_t row = first; row < last; ++row) {
      std::memset(to, 0, static_cast<std::size_t>(pad * pixel) * 4);
      std::memcpy(to + pad * pixel, from, static_cast<std::size_t>(inside * pixel) * 4);
      std::memset(to + (pad + inside) * pixel, 0, static_cast<std::size_t>(behind * pixel) * 4);
      from += sizes_.in[2] * pixel;
      to += plan_.span * pixel;
    }
  }
  return {buffer_, first, plan_.span, plan_.buffer_rows, 0};
}

/// Computes the part's columns of an output row for one group of output channels. `tiles_before`
/// counts the tiles already computed with these weights; it divides up the prefetching.
void NchwcDenseTask::run_row(const Source& source, std::int64_t row, const Part& part,
                             std::int64_t group, const Planes& planes, std::int64_t tiles_before,
                             const NchwcResultRows& to) const {
  const std::int64_t lanes = plan_.lanes;
  const std::int64_t pixel = plan_.pixel_floats;
  const RowRange range = plan_.is_long ? RowRange{0, 1} : rows_inside(sizes_, row);
  const std::int64_t in_row =
      plan_.is_long ? 0 : row * sizes_.stride[1] - sizes_.pad[1] + range.begin * sizes_.dilation[1];
  const std::int64_t column_step = plan_.is_long ? 1 : sizes_.stride[2];
  NchwcTile tile = {};
  tile.pixel_step = column_step * pixel;
  tile.plane_step = source.rows * source.columns * pixel;
  tile.row_step = sizes_.dilation[1] * source.columns * pixel;
  tile.run_step = sizes_.dilation[2] * pixel;
  if (volume(sizes_.kernel) == 1 && !plan_.is_plain) {
    tile.x_ahead = tile.plane_step;
    tile.x_ahead_step = tile.pixel_step;
  }
  tile.first_row = range.begin;
  tile.rows = range.end - range.begin;
  tile.weight_rows = sizes_.kernel[1];
  set_sections(planes, tile);
  const std::int64_t channel = group * 2 * lanes;
  tile.weights = planes.weights;
  const std::int64_t out_pixels = volume(sizes_.out);
  tile.y_vector_step = to.block_floats;
  tile.begins = planes.begin == 0;
  tile.ends = planes.end == plan_.planes;
  set_epilogue_tile(tile.epilogue, operands_.epilogue, channel, 0);
  const float* residual = operands_.epilogue.residual;
  const std::int64_t blocks = (sizes_.channels_out + lanes - 1) / lanes;
  const auto vectors = static_cast<std::int32_t>(std::min<std::int64_t>(2, blocks - 2 * group));
  const std::int64_t out_offset =
      ((image_ * blocks + 2 * group) * out_pixels + row * plan_.columns) * lanes;
  float* const out = to.base + 2 * (group - to.first_group) * to.block_floats +
                     (row * plan_.columns - to.first_pixel) * lanes;
  const std::int64_t in_offset =
      planes.begin * tile.plane_step +
      (tile.rows > 0 ? (in_row - source.first_row) * source.columns * pixel : 0);
  const std::int64_t most = functions_.max_pixels[vectors - 1];
  std::int64_t done = 0;  // tiles
  for (std::int64_t begin = part.column_begin; begin < part.column_end;) {
    const std::int64_t end = set_runs(begin, part.column_end, tile);
    const std::int64_t tiles = (end - begin + most - 1) / most;
    for (std::int64_t i = 0; i < tiles; ++i, ++done) {
      // As even as possible, or as large, where not every size has a function.
      const std::int64_t first =
          has_all_tiles ? begin + (end - begin) * i / tiles : begin + i * most;
      const std::int64_t last =
          has_all_tiles ? begin + (end - begin) * (i + 1) / tiles : std::min(first + most, end);
      tile.x = source.base + in_offset + (first * column_step - source.pad) * pixel;
      tile.y = out + first * lanes;
      if (residual != nullptr) tile.epilogue.residual = residual + out_offset + first * lanes;
      const std::int64_t ahead = (tiles_before + done) * planes.ahead_step;
      if (ahead < vectors * lanes) {
        tile.ahead = planes.ahead + ahead * planes.numbers;
        // Rows at the border have a shorter reduction, so each step prefetches more.
        tile.ahead_step = (planes.ahead_step * tile.weight_rows + tile.rows - 1) /
                          std::max<std::int64_t>(1, tile.rows);
      } else {
        tile.ahead = tile.y;
        tile.ahead_step = 0;
      }
      functions_.tile(tile, vectors, static_cast<std::int32_t>(last - first));
      if (tile.ends && is_function(tile.epilogue.activation)) {
        functions_.activate(tile.epilogue.activation, tile.epilogue.low, tile.y, tile.y_vector_step,
                            vectors, (last - first) * lanes);
      }
    }
    begin = end;
  }
}

/// Limits the tile's runs to the kernel columns inside the image for output columns from `begin`;
/// returns the end of the columns with the same ones, at most `most`. With small dilations all
/// runs are taken, since tiles would become too short.
std::int64_t NchwcDenseTask::set_runs(std::int64_t begin, std::int64_t most,
                                      NchwcTile& tile) const {
  constexpr std::int64_t least_dilation = 4;
  const std::int64_t dilation = sizes_.dilation[2];
  if (plan_.is_long || dilation < least_dilation || sizes_.kernel[2] == 1) return most;
  const auto runs_at = [&](std::int64_t column) {
    const std::int64_t start = column * sizes_.stride[2] - sizes_.pad[2];
    std::int64_t first = 0;
    while (first < sizes_.kernel[2] && start + first * dilation < 0) ++first;
    std::int64_t end = sizes_.kernel[2];
    while (end > first && start + (end - 1) * dilation >= sizes_.in[2]) --end;
    return std::pair(first, end);
  };
  const std::pair<std::int64_t, std::int64_t> runs = runs_at(begin);
  for (TileSection& section : tile.sections) {
    section.first_run = runs.first;
    section.end_run = runs.second;
  }
  std::int64_t end = begin + 1;
  while (end < most && runs_at(end) == runs) ++end;
  return end;
}

/// Merges contiguous inputs into one run: the kernel columns if they are adjacent, including the
/// channels of full blocks.
void NchwcDenseTask::set_sections(const Planes& planes, NchwcTile& tile) const {
  const std::int64_t columns = sizes_.kernel[2];
  const bool adjoins = sizes_.dilation[2] == 1 || columns == 1;
  const std::int64_t runs = adjoins ? 1 : columns;
  const std::int64_t pixels = adjoins ? columns : 1;
  const bool is_last = planes.end == plan_.planes;
  const std::int64_t rest = plan_.is_plain || !is_last ? 0 : sizes_.channels_in % plan_.lanes;
  tile.sections[0] = {planes.end - planes.begin - (rest > 0 ? 1 : 0), runs,
                      pixels * plan_.pixel_floats, 0, runs};
  tile.sections[1] = {rest > 0 ? 1 : 0, columns, rest, 0, columns};
}

}  // namespace ortool::cpu

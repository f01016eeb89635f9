// Transposed convolution: a GEMM computes what each input contributes to its window, then the
// contributions are added to the rows of outputs (col2im).
#include "kernels/cpu/conv/conv_transpose.hpp"

#include <algorithm>

#include "kernels/cpu/conv/window_scatter.hpp"
#include "kernels/cpu/gemm/f32/packed_product.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t value_bytes = 4;

std::int64_t product_of(const std::int64_t (&dims)[3]) {
  return dims[0] * dims[1] * dims[2];
}

/// How the inputs of one image and group are partitioned.
struct TransposePartition {
  std::int64_t depth = 0;   ///< input channels of a group
  std::int64_t maps = 0;    ///< output channels of a group
  std::int64_t rows = 0;    ///< output channels × kernel positions
  std::int64_t pixels = 0;  ///< of an input image
  std::int64_t tile = 0;    ///< pixels per tile

  TransposePartition(const ConvTransposeSizes& sizes, const GemmFunctions& functions) {
    constexpr std::int64_t cache_bytes = 1024 * 1024;
    depth = sizes.channels_in / sizes.groups;
    maps = sizes.channels_out / sizes.groups;
    rows = maps * product_of(sizes.kernel);
    pixels = product_of(sizes.in);
    const std::int64_t width = functions.panel_columns;
    const std::int64_t fitting =
        cache_bytes / (value_bytes * std::max<std::int64_t>(1, rows + depth));
    tile = std::max(4 * width, fitting / width * width);
    tile = std::min(tile, (pixels + width - 1) / width * width);
  }
  std::int64_t windows_bytes() const { return tile * rows * value_bytes; }
  std::int64_t packed_bytes() const { return tile * depth * value_bytes; }
};

/// Adds the contributions of inputs [begin, end) of a row to a row of outputs, one kernel position
/// at a time; `windows` holds a row of `tile` values for each.
void add_row_of_kernel(const ConvTransposeSizes& sizes, const float* windows, std::int64_t tile,
                       std::int64_t begin, std::int64_t end, float* to) {
  const std::int64_t stride = sizes.stride[2];
  const bool has_pairs = stride == 2 && sizes.dilation[2] == 1;
  for (std::int64_t kw = 0; kw < sizes.kernel[2]; ++kw) {
    const std::int64_t shift = kw * sizes.dilation[2] - sizes.pad[2];
    const float* from = windows + kw * tile;
    const RowSources range(begin, end, stride, shift, sizes.out[2]);
    if (!has_pairs || kw + 1 == sizes.kernel[2]) {
      add_scaled_row(from, 1.0F, range, stride, shift, to);
      continue;
    }
    const RowSources next(begin, end, stride, shift + 1, sizes.out[2]);
    const std::int64_t first = std::max(range.begin, next.begin);
    const std::int64_t last = std::max(first, std::min(range.end, next.end));
    const auto add_ends = [&](const float* row, const RowSources& all, std::int64_t place) {
      for (std::int64_t i = all.begin; i < std::min(first, all.end); ++i)
        to[2 * i + place] += row[i];
      for (std::int64_t i = std::max(last, all.begin); i < all.end; ++i)
        to[2 * i + place] += row[i];
    };
    add_row_pair(from, from + tile, first, last, shift, to);
    add_ends(from, range, shift);
    add_ends(from + tile, next, shift + 1);
    ++kw;
  }
}

/// Adds a tile's contributions to one row of outputs: `windows` holds a row for each output channel
/// and kernel position, with the tile's pixels [first, last) in it.
void add_tile_to_row(const ConvTransposeSizes& sizes, const float* windows, std::int64_t tile,
                     std::int64_t first, std::int64_t last, std::int64_t depth, std::int64_t row,
                     float* to) {
  const std::int64_t width = sizes.in[2];
  for (std::int64_t kd = 0; kd < sizes.kernel[0]; ++kd) {
    const std::int64_t id =
        source_of(depth, kd, sizes.in[0], sizes.stride[0], sizes.dilation[0], sizes.pad[0]);
    if (id < 0) continue;
    for (std::int64_t kh = 0; kh < sizes.kernel[1]; ++kh) {
      const std::int64_t ih =
          source_of(row, kh, sizes.in[1], sizes.stride[1], sizes.dilation[1], sizes.pad[1]);
      if (ih < 0) continue;
      const std::int64_t start = (id * sizes.in[1] + ih) * width;
      const std::int64_t begin = std::clamp<std::int64_t>(first - start, 0, width);
      const std::int64_t end = std::clamp<std::int64_t>(last - start, 0, width);
      if (begin >= end) continue;
      const float* from =
          windows + (kd * sizes.kernel[1] + kh) * sizes.kernel[2] * tile + (start - first);
      add_row_of_kernel(sizes, from, tile, begin, end, to);
    }
  }
}

/// The output rows [begin, end), over all rows, that inputs [low, high] of the leading axes reach.
struct ReachedRows {
  std::int64_t begin[2];
  std::int64_t end[2];

  ReachedRows(const ConvTransposeSizes& sizes, std::int64_t first, std::int64_t last) {
    const std::int64_t first_row = first / sizes.in[2];
    const std::int64_t last_row = (last - 1) / sizes.in[2];
    const std::int64_t low_depth = first_row / sizes.in[1];
    const std::int64_t high_depth = last_row / sizes.in[1];
    const bool is_one_slice = low_depth == high_depth;
    const std::int64_t low[2] = {low_depth, is_one_slice ? first_row % sizes.in[1] : 0};
    const std::int64_t high[2] = {high_depth,
                                  is_one_slice ? last_row % sizes.in[1] : sizes.in[1] - 1};
    for (int axis = 0; axis < 2; ++axis) {
      const std::int64_t reach = (sizes.kernel[axis] - 1) * sizes.dilation[axis] + 1;
      begin[axis] = std::clamp<std::int64_t>(low[axis] * sizes.stride[axis] - sizes.pad[axis], 0,
                                             sizes.out[axis]);
      end[axis] = std::clamp<std::int64_t>(
          high[axis] * sizes.stride[axis] - sizes.pad[axis] + reach, begin[axis], sizes.out[axis]);
    }
  }
  std::int64_t rows() const { return end[1] - begin[1]; }
  std::int64_t count() const { return (end[0] - begin[0]) * rows(); }
};

void fill_with_bias(const ConvTransposeSizes& sizes, const float* bias, float* y,
                    Workers& workers) {
  const std::int64_t plane = product_of(sizes.out);
  const std::int64_t planes = sizes.batch * sizes.channels_out;
  const std::int64_t grain = std::max<std::int64_t>(1, 65536 / std::max<std::int64_t>(1, plane));
  workers.parallel_ranges(planes, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const float value = bias == nullptr ? 0.0F : bias[i % sizes.channels_out];
      std::fill(y + i * plane, y + (i + 1) * plane, value);
    }
  });
}

}  // namespace

std::int64_t packed_conv_transpose_bytes(const ConvTransposeSizes& sizes, Isa) {
  return sizes.channels_in * (sizes.channels_out / sizes.groups) * product_of(sizes.kernel) *
         value_bytes;
}

void pack_conv_transpose_weights(const ConvTransposeSizes& sizes, const float* weights, Isa isa,
                                 float* out, Workers& workers) {
  const GemmFunctions& functions = gemm_functions(isa);
  const TransposePartition cut(sizes, functions);
  const RowPanels panels = cut_rows(cut.rows, functions);
  workers.parallel_for(sizes.groups, [&](std::int64_t group) {
    const std::int64_t offset = group * cut.depth * cut.rows;
    const StridedMatrix a = {.data = weights + offset, .stride = cut.rows, .transposed = true};
    for (std::int64_t panel = 0; panel < panels.count; ++panel)
      pack_row_panel(panels, panel, cut.depth, a, functions, out + offset);
  });
}

std::int64_t conv_transpose_workspace_bytes(const ConvTransposeSizes& sizes, Isa isa) {
  const TransposePartition cut(sizes, gemm_functions(isa));
  return cut.windows_bytes() + cut.packed_bytes() + 64;
}

void conv_transpose(const ConvTransposeSizes& sizes, const float* x, const float* packed_weights,
                    const float* bias, float* y, Isa isa, void* workspace, Workers& workers) {
  fill_with_bias(sizes, bias, y, workers);
  const GemmFunctions& functions = gemm_functions(isa);
  const TransposePartition cut(sizes, functions);
  const std::int64_t plane = product_of(sizes.out);
  if (cut.pixels == 0 || plane == 0 || cut.rows == 0) return;
  auto* packed = static_cast<float*>(workspace);
  float* windows = packed + (cut.packed_bytes() + 63) / 64 * 64 / value_bytes;
  const Epilogue epilogue;
  for (std::int64_t image = 0; image < sizes.batch * sizes.groups; ++image) {
    const float* from = x + image * cut.depth * cut.pixels;
    float* to = y + image * cut.maps * plane;
    const std::int64_t group = image % sizes.groups;
    for (std::int64_t first = 0; first < cut.pixels; first += cut.tile) {
      const std::int64_t last = std::min(cut.pixels, first + cut.tile);
      const PanelProduct product{.functions = &functions,
                                 .k = cut.depth,
                                 .rows = cut_rows(cut.rows, functions),
                                 .columns = cut_columns(last - first, functions),
                                 .a = packed_weights + group * cut.depth * cut.rows,
                                 .b = packed,
                                 .c = windows,
                                 .c_stride = cut.tile,
                                 .epilogue = &epilogue,
                                 .stop = workers.stop()};
      const StridedMatrix b = {.data = from + first, .stride = cut.pixels};
      const std::int64_t panel_work = product.columns.width * cut.depth * cut.rows;
      const std::int64_t grain =
          std::max<std::int64_t>(1, 262144 / std::max<std::int64_t>(1, panel_work));
      workers.parallel_ranges(
          product.columns.count, grain, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t panel = begin; panel < end; ++panel)
              pack_column_panel(product.columns, panel, cut.depth, b, functions, packed);
            multiply_panels(product, 0, product.rows.count, begin, end);
          });
      const ReachedRows reached(sizes, first, last);
      const std::int64_t row_work = sizes.out[2] * product_of(sizes.kernel);
      const std::int64_t rows =
          std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(1, row_work));
      workers.parallel_ranges(
          cut.maps * reached.count(), rows, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
              const std::int64_t map = i / reached.count();
              const std::int64_t place = i % reached.count();
              const std::int64_t depth = reached.begin[0] + place / reached.rows();
              const std::int64_t row = reached.begin[1] + place % reached.rows();
              add_tile_to_row(sizes, windows + map * product_of(sizes.kernel) * cut.tile, cut.tile,
                              first, last, depth, row,
                              to + map * plane + (depth * sizes.out[1] + row) * sizes.out[2]);
            }
          });
    }
  }
}

template <typename T>
void conv_transpose_reference(const ConvTransposeSizes& sizes, const T* x, const T* weights,
                              const T* bias, T* y, Workers& workers) {
  const std::int64_t maps = sizes.channels_out / sizes.groups;
  const std::int64_t depth = sizes.channels_in / sizes.groups;
  const std::int64_t pixels = product_of(sizes.in);
  const std::int64_t positions = product_of(sizes.kernel);
  const std::int64_t rows = sizes.out[0] * sizes.out[1];
  const std::int64_t row_work = std::max<std::int64_t>(1, sizes.out[2] * positions * depth);
  const std::int64_t grain = std::max<std::int64_t>(1, 32768 / row_work);
  const auto add_row = [&](const T* image, const T* kernels, std::int64_t row, T* to) {
    for (std::int64_t position = 0; position < positions / sizes.kernel[2]; ++position) {
      const std::int64_t kd = position / sizes.kernel[1];
      const std::int64_t kh = position % sizes.kernel[1];
      const std::int64_t id = source_of(row / sizes.out[1], kd, sizes.in[0], sizes.stride[0],
                                        sizes.dilation[0], sizes.pad[0]);
      const std::int64_t ih = source_of(row % sizes.out[1], kh, sizes.in[1], sizes.stride[1],
                                        sizes.dilation[1], sizes.pad[1]);
      if (id < 0 || ih < 0) continue;
      const T* from = image + (id * sizes.in[1] + ih) * sizes.in[2];
      for (std::int64_t kw = 0; kw < sizes.kernel[2]; ++kw) {
        const std::int64_t shift = kw * sizes.dilation[2] - sizes.pad[2];
        const RowSources range(0, sizes.in[2], sizes.stride[2], shift, sizes.out[2]);
        add_scaled_row(from, kernels[position * sizes.kernel[2] + kw], range, sizes.stride[2],
                       shift, to);
      }
    }
  };
  workers.parallel_ranges(
      sizes.batch * sizes.channels_out * rows, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t plane = i / rows;
          const std::int64_t channel = plane % sizes.channels_out;
          const std::int64_t group = channel / maps;
          T* to = y + i * sizes.out[2];
          std::fill(to, to + sizes.out[2], bias == nullptr ? T{0} : bias[channel]);
          for (std::int64_t c = 0; c < depth; ++c) {
            const std::int64_t from = group * depth + c;
            const T* image = x + (plane / sizes.channels_out * sizes.channels_in + from) * pixels;
            add_row(image, weights + (from * maps + channel % maps) * positions, i % rows, to);
          }
        }
      });
}

template void conv_transpose_reference(const ConvTransposeSizes&, const float*, const float*,
                                       const float*, float*, Workers&);
template void conv_transpose_reference(const ConvTransposeSizes&, const double*, const double*,
                                       const double*, double*, Workers&);

}  // namespace ortool::cpu

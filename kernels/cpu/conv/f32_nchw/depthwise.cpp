// Depthwise convolution (one input channel per group): computes each plane from its input plane.
#include <algorithm>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/conv/f32_nchw/depthwise_planes.hpp"
#include "kernels/cpu/conv/f32_nchw/depthwise_row.hpp"
#include "kernels/cpu/epilogue/epilogue_at.hpp"
#include "kernels/cpu/gemm/f32/epilogue.hpp"
#include "kernels/cpu/isa/architecture.hpp"

namespace ortool::cpu {
namespace {

/// Output rows [begin, end) of one plane, counted over depth and height. Works for any sizes.
void convolve_rows(const ConvSizes& sizes, const float* in, const float* weights, float bias,
                   float* out, std::int64_t begin, std::int64_t end, Isa isa) {
  const DepthwiseRowFunction add_row = depthwise_row_function(isa);
  DepthwiseRow each = {};
  each.in_columns = sizes.in[2];
  each.out_columns = sizes.out[2];
  each.kernel_columns = sizes.kernel[2];
  each.stride = sizes.stride[2];
  each.dilation = sizes.dilation[2];
  each.pad = sizes.pad[2];
  for (std::int64_t out_row = begin; out_row < end; ++out_row) {
    float* to = out + out_row * sizes.out[2];
    std::fill_n(to, sizes.out[2], 0.0F);
    const std::int64_t depth = out_row / sizes.out[1] * sizes.stride[0] - sizes.pad[0];
    const std::int64_t row = out_row % sizes.out[1] * sizes.stride[1] - sizes.pad[1];
    for (std::int64_t kd = 0; kd < sizes.kernel[0]; ++kd) {
      const std::int64_t z = depth + kd * sizes.dilation[0];
      if (z < 0 || z >= sizes.in[0]) continue;
      for (std::int64_t kh = 0; kh < sizes.kernel[1]; ++kh) {
        const std::int64_t y = row + kh * sizes.dilation[1];
        if (y < 0 || y >= sizes.in[1]) continue;
        each.in = in + (z * sizes.in[1] + y) * sizes.in[2];
        each.weights = weights + (kd * sizes.kernel[1] + kh) * sizes.kernel[2];
        each.out = to;
        add_row(each);
      }
    }
    for (std::int64_t i = 0; i < sizes.out[2]; ++i) to[i] += bias;
  }
}

/// The sizes as the vectorized kernels take them; these are two-dimensional.
DepthwisePlanes flat_planes(const ConvSizes& sizes) {
  DepthwisePlanes plane = {};
  plane.in_rows = sizes.in[1];
  plane.in_columns = sizes.in[2];
  plane.out_rows = sizes.out[1];
  plane.out_columns = sizes.out[2];
  plane.kernel_rows = sizes.kernel[1];
  plane.kernel_columns = sizes.kernel[2];
  plane.row_stride = sizes.stride[1];
  plane.column_stride = sizes.stride[2];
  plane.row_dilation = sizes.dilation[1];
  plane.column_dilation = sizes.dilation[2];
  plane.row_pad = sizes.pad[1];
  plane.column_pad = sizes.pad[2];
  return plane;
}

bool is_flat(const ConvSizes& sizes) {
  return sizes.in[0] == 1 && sizes.out[0] == 1 && sizes.kernel[0] == 1 && sizes.pad[0] == 0;
}

}  // namespace

void conv_depthwise(const ConvSizes& sizes, const float* x, const float* weights, float* y,
                    const Epilogue& epilogue, Isa isa, Workers& workers) {
  constexpr std::int64_t task_pixels = 8192;
  const std::int64_t multiplier = sizes.channels_out / sizes.groups;
  const std::int64_t rows = sizes.out[0] * sizes.out[1];
  const std::int64_t positions = volume(sizes.kernel);
  const std::int64_t planes = sizes.batch * sizes.channels_out;
  // Small planes share a task; large ones are partitioned into bands of rows.
  const std::int64_t pixels = rows * sizes.out[2];
  const std::int64_t together = std::max<std::int64_t>(1, task_pixels / pixels);
  const std::int64_t band = std::min(
      rows, std::max<std::int64_t>(8, task_pixels / std::max<std::int64_t>(1, sizes.out[2])));
  const std::int64_t bands = together > 1 ? 1 : (rows + band - 1) / band;
  const bool has_variant = (!is_x86 || isa >= Isa::avx2) && is_flat(sizes);
  /// `count` planes from `plane` on; more than one only if each has its own plane of x.
  const auto run_flat = [&](std::int64_t plane, std::int64_t count, std::int64_t begin,
                            std::int64_t end) {
    const std::int64_t channel = plane % sizes.channels_out;
    const std::int64_t source =
        plane / sizes.channels_out * sizes.channels_in + channel / multiplier;
    DepthwisePlanes flat = flat_planes(sizes);
    flat.in = x + source * volume(sizes.in);
    flat.weights = weights + channel * positions;
    flat.out = y + plane * pixels;
    set_epilogue_tile(flat.epilogue, epilogue, channel, plane * pixels);
    flat.planes = count;
    flat.row_begin = begin;
    flat.row_end = end;
    return depthwise_planes_function(isa)(flat) != 0;
  };
  const auto run_band = [&](std::int64_t plane, std::int64_t begin, std::int64_t end) {
    const std::int64_t channel = plane % sizes.channels_out;
    const std::int64_t source =
        plane / sizes.channels_out * sizes.channels_in + channel / multiplier;
    const float* in = x + source * volume(sizes.in);
    float* out = y + plane * pixels;
    const float* residual =
        epilogue.residual == nullptr ? nullptr : epilogue.residual + plane * pixels;
    const float* kernel = weights + channel * positions;
    const float bias = epilogue.addend == Addend::none ? 0.0F : epilogue.added[channel];
    convolve_rows(sizes, in, kernel, bias, out, begin, end, isa);
    if (residual == nullptr && epilogue.activation == Activation::none) return;
    GemmTile tile = {};
    tile.c = out + begin * sizes.out[2];
    tile.c_stride = sizes.out[2];
    tile.rows = static_cast<std::int32_t>(end - begin);
    tile.columns = static_cast<std::int32_t>(sizes.out[2]);
    Epilogue outer = epilogue;
    outer.addend = Addend::none;
    outer.residual = residual == nullptr ? nullptr : residual + begin * sizes.out[2];
    outer.residual_stride = sizes.out[2];
    set_epilogue(tile, outer, 0, 0);
    apply_epilogue(tile, tile.c, tile.c_stride);
  };
  const std::int64_t plane_tasks = (planes + together - 1) / together;
  workers.parallel_for(plane_tasks * bands, [&](std::int64_t task) {
    const std::int64_t first = task / bands * together;
    const std::int64_t last = std::min(first + together, planes);
    const std::int64_t begin = task % bands * band;
    const std::int64_t end = bands == 1 ? rows : std::min(begin + band, rows);
    std::int64_t plane = first;
    while (plane < last) {
      const std::int64_t to_next_image = sizes.channels_out - plane % sizes.channels_out;
      const std::int64_t count = multiplier == 1 ? std::min(last - plane, to_next_image) : 1;
      if (!has_variant || !run_flat(plane, count, begin, end)) {
        for (std::int64_t i = 0; i < count; ++i) run_band(plane + i, begin, end);
      }
      if (is_function(epilogue.activation)) {
        gemm_functions(isa).activate(epilogue.activation, epilogue.low,
                                     y + plane * pixels + begin * sizes.out[2], pixels, count,
                                     (end - begin) * sizes.out[2]);
      }
      plane += count;
    }
  });
}

}  // namespace ortool::cpu

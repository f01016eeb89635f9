// Algorithm selection and weight packing for float32 NCHW convolution.
#include "kernels/cpu/conv/f32_nchw/conv.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/isa/built_features.hpp"

namespace ortool::cpu {

std::int64_t conv_depth(const ConvSizes& sizes) {
  return sizes.channels_in / sizes.groups * volume(sizes.kernel);
}

bool is_pointwise(const ConvSizes& sizes) {
  for (int axis = 0; axis < 3; ++axis) {
    if (sizes.kernel[axis] != 1 || sizes.stride[axis] != 1 || sizes.pad[axis] != 0 ||
        sizes.in[axis] != sizes.out[axis]) {
      return false;
    }
  }
  return true;
}

std::string_view conv_path_name(ConvPath path) {
  switch (path) {
    case ConvPath::depthwise:
      return "depthwise";
    case ConvPath::rows:
      return "rows";
    case ConvPath::direct:
      return "direct";
    case ConvPath::winograd:
      return "winograd";
    default:
      return "columns";
  }
}

namespace {

/// The transforms pay off with enough channels on either side, as long as the weights, which grow
/// fourfold, fit the cache; only for images whose sizes are known and not too small.
bool has_channels_to_transform(const ConvSizes& sizes) {
  constexpr std::int64_t enough_channels = 16;
  constexpr std::int64_t min_weights = 512;
  constexpr std::int64_t max_weights = 32 * 1024;
  const std::int64_t weights = sizes.channels_in * sizes.channels_out;
  return sizes.channels_in >= enough_channels && sizes.channels_out >= enough_channels &&
         weights >= min_weights && weights <= max_weights;
}

bool is_worth_transforming(const ConvSizes& sizes) {
  constexpr std::int64_t enough_pixels = 40 * 40;
  return volume(sizes.out) >= enough_pixels && has_channels_to_transform(sizes);
}

}  // namespace

ConvPath choose_conv_path(const ConvSizes& sizes) {
  constexpr std::int64_t max_multiplier = 4;
  if (sizes.channels_in == sizes.groups &&
      sizes.channels_out <= max_multiplier * sizes.channels_in) {
    return ConvPath::depthwise;
  }
  if (is_direct(sizes)) return ConvPath::direct;
  constexpr std::int64_t few_pixels = 64;
  constexpr std::int64_t enough_channels = 32;
  const std::int64_t pixels = volume(sizes.out);
  if (pixels > 0 && pixels <= few_pixels && sizes.channels_out / sizes.groups >= enough_channels) {
    return ConvPath::rows;
  }
  if (has_winograd && is_winograd(sizes) && is_worth_transforming(sizes)) return ConvPath::winograd;
  return ConvPath::columns;
}

bool may_become_winograd(const ConvSizes& sizes) {
  return has_winograd && volume(sizes.out) == 0 && sizes.groups == 1 && sizes.kernel[1] == 3 &&
         sizes.kernel[2] == 3 && has_channels_to_transform(sizes);
}

namespace {

/// Size of one group's packed weights, in floats.
std::int64_t group_floats(const ConvSizes& sizes, ConvPath path, const GemmFunctions& functions) {
  const std::int64_t channels = sizes.channels_out / sizes.groups;
  const std::int64_t rows =
      path == ConvPath::rows ? cut_columns(channels, functions).stored : channels;
  return rows * conv_depth(sizes);
}

}  // namespace

std::int64_t packed_conv_weight_bytes(const ConvSizes& sizes, ConvPath path, Isa isa) {
  if (has_winograd && path == ConvPath::winograd) return winograd_weight_bytes(sizes);
  if (path == ConvPath::direct) return direct_weight_bytes(sizes);
  return round_up_to_line(sizes.groups * group_floats(sizes, path, gemm_functions(isa)) * 4);
}

void pack_conv_weights(const ConvSizes& sizes, ConvPath path, const float* weights, Isa isa,
                       float* out, Workers& workers) {
  const GemmFunctions& functions = gemm_functions(isa);
  const std::int64_t channels = sizes.channels_out / sizes.groups;
  const std::int64_t k = conv_depth(sizes);
  if (has_winograd && path == ConvPath::winograd)
    return pack_winograd_weights(sizes, weights, isa, out, workers);
  if (path == ConvPath::direct) return pack_direct_weights(sizes, weights, out);
  if (path == ConvPath::depthwise) {
    std::copy_n(weights, sizes.channels_out * k, out);
    return;
  }
  const std::int64_t floats = group_floats(sizes, path, functions);
  const RowPanels rows = cut_rows(channels, functions);
  const ColumnPanels columns = cut_columns(channels, functions);
  const std::int64_t panels = path == ConvPath::rows ? columns.count : rows.count;
  workers.parallel_for(sizes.groups * panels, [&](std::int64_t task) {
    const std::int64_t group = task / panels;
    const std::int64_t panel = task % panels;
    const StridedMatrix matrix{weights + group * channels * k, k, path == ConvPath::rows};
    float* to = out + group * floats;
    if (path == ConvPath::rows) {
      pack_column_panel(columns, panel, k, matrix, functions, to);
    } else {
      pack_row_panel(rows, panel, k, matrix, functions, to);
    }
  });
}

std::int64_t conv_workspace_bytes(const ConvSizes& sizes, ConvPath path, Isa isa, int threads) {
  switch (path) {
    case ConvPath::depthwise:
      return 0;
    case ConvPath::rows:
      return conv_im2row_workspace_bytes(sizes, isa, threads);
    case ConvPath::direct:
      return conv_direct_workspace_bytes(sizes, isa, threads);
    case ConvPath::winograd:
      return has_winograd ? conv_winograd_workspace_bytes(sizes, isa, threads) : 0;
    default:
      return conv_im2col_workspace_bytes(sizes, isa, threads);
  }
}

void conv(const ConvSizes& sizes, ConvPath path, const float* x, const float* packed_weights,
          float* y, const Epilogue& epilogue, Isa isa, void* workspace, Workers& workers) {
  if (sizes.batch <= 0 || sizes.channels_out <= 0 || volume(sizes.out) <= 0) return;
  switch (path) {
    case ConvPath::depthwise:
      return conv_depthwise(sizes, x, packed_weights, y, epilogue, isa, workers);
    case ConvPath::rows:
      return conv_im2row(sizes, x, packed_weights, y, epilogue, isa, workspace, workers);
    case ConvPath::direct:
      return conv_direct(sizes, x, packed_weights, y, epilogue, isa, workspace, workers);
    case ConvPath::winograd:
      if (has_winograd)
        conv_winograd(sizes, x, packed_weights, y, epilogue, isa, workspace, workers);
      return;
    default:
      return conv_im2col(sizes, x, packed_weights, y, epilogue, isa, workspace, workers);
  }
}

}  // namespace ortool::cpu

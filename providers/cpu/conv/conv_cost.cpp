// Convolution cost model: operations divided by measured rates, plus fixed overheads.
#include "providers/cpu/conv/conv_cost.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "providers/cpu/conv/conv_params.hpp"

namespace ortool::cpu {
namespace {

double product(const std::int64_t (&sizes)[3]) {
  return static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]) *
         static_cast<double>(sizes[2]);
}

double output_pixels(const ConvSizes& sizes) {
  return static_cast<double>(sizes.batch) * product(sizes.out);
}

/// Multiplications per output value.
double depth(const ConvSizes& sizes) {
  return static_cast<double>(sizes.channels_in / sizes.groups) * product(sizes.kernel);
}

}  // namespace

std::optional<ConvSizes> common_conv_sizes(const NodeView& view, const Shape& weights,
                                           const ortool::Conv& op) {
  constexpr std::int64_t common = 32;
  const PartialShape& given = view.node().input(0)->type().shape;
  const std::int64_t channels = weights[1] * op.groups;
  std::vector<std::int64_t> shape = {1, channels};
  for (std::int64_t axis = 2; axis < weights.rank(); ++axis) {
    const auto index = static_cast<std::size_t>(axis);
    const bool is_known = given && index < given->size() && (*given)[index].is_known();
    shape.push_back(is_known ? (*given)[index].number() : std::max(common, 8 * weights[axis]));
  }
  if (given && given->size() > 1 && (*given)[0].is_known()) shape[0] = (*given)[0].number();
  if (channels <= 0 || shape[0] <= 0) return std::nullopt;
  try {
    return conv_sizes(Shape(shape), weights, op);
  } catch (const Error&) {
    return std::nullopt;  // reported once the sizes are known
  }
}

double nchw_conv_nanoseconds(const ConvSizes& sizes) {
  const double pixels = output_pixels(sizes);
  const double results = pixels * static_cast<double>(sizes.channels_out);
  const double multiplications = results * depth(sizes);
  constexpr double fixed_ns = 1000;
  switch (choose_conv_path(sizes)) {
    case ConvPath::depthwise: {
      const bool has_steps = product(sizes.stride) > 1;
      // Wider windows have no vectorized kernel.
      const bool is_wide = sizes.kernel[2] > 5;
      const double rate = is_wide ? (has_steps ? 2.8 : 4.6) : (has_steps ? 11 : 21);
      return fixed_ns + multiplications / rate;
    }
    case ConvPath::direct:
      return fixed_ns + multiplications / 50 + 0.1 * results;
    case ConvPath::winograd:
      return fixed_ns + multiplications / 90;
    default: {
      // Packing the windows of each group, and storing whole tile rows.
      const double packed = pixels * depth(sizes) * static_cast<double>(sizes.groups);
      const double packing_ns = sizes.groups > 1 ? 0.3 : 0.12;
      return fixed_ns + multiplications / 72 + packing_ns * packed + 0.1 * results;
    }
  }
}

double nchwc_conv_nanoseconds(const ConvSizes& sizes, NchwcConvAlgorithm path, std::int64_t block) {
  const double pixels = output_pixels(sizes);
  const auto blocks = static_cast<double>((sizes.channels_out + block - 1) / block);
  constexpr double fixed_ns = 300;
  if (path == NchwcConvAlgorithm::winograd)
    return fixed_ns + nchwc_winograd_nanoseconds(sizes, block);
  if (sizes.groups > 1) {
    const double taps_a_nanosecond =
        product(sizes.stride) > 1 ? 1.2 : (product(sizes.kernel) > 9 ? 2.4 : 4);
    return fixed_ns + pixels * blocks * (1 + depth(sizes) / taps_a_nanosecond);
  }
  // With fewer pixels per row than this, accumulator latency is not hidden.
  constexpr double min_pixels = 4;
  const double row = product(sizes.kernel) > 1 ? static_cast<double>(sizes.out[2]) : pixels;
  const double busy = pixels * std::max(1.0, min_pixels / std::max(1.0, row));
  return fixed_ns + blocks * (pixels + busy * depth(sizes) * static_cast<double>(block) / 80);
}

double bf16_conv_nanoseconds(const ConvSizes& sizes, bool from_nchw, Isa isa) {
  constexpr double lanes = 16;
  constexpr double step = 32;
  constexpr double fixed_ns = 600;
  const double products_a_nanosecond = isa >= Isa::amx ? 500 : 140;
  const double blocks = std::ceil(static_cast<double>(sizes.channels_out) / lanes);
  const double pixels = output_pixels(sizes);
  const double steps =
      from_nchw ? std::ceil(depth(sizes) / step)
                : std::ceil(static_cast<double>(sizes.channels_in) / step) * product(sizes.kernel);
  // Whole windows are copied in pieces, single pixels as they are.
  constexpr double window_ns = 5;
  const double copied = from_nchw ? window_ns * pixels * steps
                                  : static_cast<double>(sizes.batch) * product(sizes.in) *
                                        std::ceil(static_cast<double>(sizes.channels_in) / step);
  return fixed_ns + copied + pixels * blocks +
         pixels * blocks * lanes * steps * step / products_a_nanosecond;
}

}  // namespace ortool::cpu

// Resize: nearest, linear and cubic interpolation along each axis.
#include "providers/cuda/operators/resize_tables.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/tensor/resize.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool::cuda {
namespace {

using Coordinates = Resampling::Coordinates;

Resampling read_resampling(const Node& node) {
  if (node.op_type() == "Upsample") return read_op<Upsample>(node);
  return read_op<Resize>(node);
}

struct AxisTable {
  std::int32_t taps = 0;
  std::vector<std::int32_t> first;
  std::vector<float> weights;
};

/// The position in the input of output `place`.
float source_position(const Resampling& op, float place, float scale, std::int64_t in,
                      std::int64_t out, float exact) {
  const auto x = place;
  switch (op.coordinates) {
    case Coordinates::align_corners:
      return exact == 1 ? 0 : x * static_cast<float>(in - 1) / (exact - 1);
    case Coordinates::asymmetric:
      return x / scale;
    case Coordinates::pytorch_half_pixel:
      return exact > 1 ? (x + 0.5F) / scale - 0.5F : 0;
    case Coordinates::tf_half_pixel_for_nn:
      return (x + 0.5F) / scale;
    case Coordinates::half_pixel_symmetric: {
      const float adjustment = static_cast<float>(out) / exact;
      const float center = static_cast<float>(in) / 2;
      return center * (1 - adjustment) + (x + 0.5F) / scale - 0.5F;
    }
    default:
      return (x + 0.5F) / scale - 0.5F;
  }
}

std::int64_t nearest_of(const Resampling& op, float position, float scale) {
  switch (op.nearest) {
    case Resampling::Nearest::floor:
      return static_cast<std::int64_t>(std::floor(position));
    case Resampling::Nearest::ceil:
      return static_cast<std::int64_t>(std::ceil(position));
    case Resampling::Nearest::round_prefer_ceil:
      return static_cast<std::int64_t>(std::floor(position + 0.5F));
    case Resampling::Nearest::outward:
      return static_cast<std::int64_t>(scale < 1 ? std::ceil(position) : std::floor(position));
    default:
      return static_cast<std::int64_t>(std::ceil(position - 0.5F));
  }
}

float cubic_weight(float a, float x) {
  x = std::abs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

AxisTable make_table(const Resampling& op, std::int64_t in, std::int64_t out, float scale,
                     float exact) {
  AxisTable table;
  const auto clamped = [in](std::int64_t place) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(place, 0, in - 1));
  };
  for (std::int64_t i = 0; i < out; ++i) {
    const float position = source_position(op, static_cast<float>(i), scale, in, out, exact);
    if (op.mode == Resampling::Mode::nearest) {
      table.taps = 1;
      table.first.push_back(clamped(nearest_of(op, position, scale)));
      table.weights.push_back(1);
      continue;
    }
    const bool is_linear = op.mode == Resampling::Mode::linear;
    table.taps = is_linear ? 2 : 4;
    const float kept =
        is_linear ? std::clamp(position, 0.0F, static_cast<float>(in - 1)) : position;
    const auto below = static_cast<std::int64_t>(std::floor(kept));
    const float rest = kept - static_cast<float>(below);
    for (std::int64_t tap = 0; tap < table.taps; ++tap) {
      const std::int64_t place = is_linear ? below + tap : below - 1 + tap;
      table.first.push_back(clamped(place));
      table.weights.push_back(
          is_linear ? (tap == 0 ? 1 - rest : rest)
                    : cubic_weight(op.cubic_coeff_a, rest + 1 - static_cast<float>(tap)));
    }
  }
  return table;
}

std::vector<float> scales_of(DevicePlanBuilder& builder, const Node& node, const Resampling& op) {
  if (op.scales.value) return *op.scales.value;
  const Tensor* known = builder.known(node, op.scales.input);
  if (known == nullptr) return {};
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < known->element_count(); ++i)
    numbers.push_back(static_cast<float>(element_as_double(known->aligned(), i)));
  return numbers;
}

}  // namespace

std::string refuses_resize(const Node& node) {
  const Resampling op = read_resampling(node);
  if (op.antialias) return "antialiasing runs on the cpu";
  if (op.exclude_outside) return "'exclude_outside' runs on the cpu";
  if (op.coordinates == Coordinates::tf_crop_and_resize)
    return "crops while resizing run on the cpu";
  if (op.aspect_ratio != Resampling::AspectRatio::stretch)
    return "sizes that keep the aspect ratio run on the cpu";
  if (op.mode != Resampling::Mode::nearest && !is_real(type_of(node.input(0))))
    return "integers are interpolated on the cpu";
  return {};
}

std::size_t emit_resize(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const Resampling op = read_resampling(node);
  const DeviceTensor from = builder.input(node, 0);
  const DeviceTensor to = builder.make_output(node);
  if (to.count() == 0) return 0;
  for (std::int64_t axis = 0; axis < from.shape.rank(); ++axis) {
    if (from.shape[axis] == 0)
      throw Error(ErrorCode::invalid,
                  format("an empty axis cannot become {} long", to.shape[axis]));
  }
  std::vector<std::int64_t> axes(static_cast<std::size_t>(from.shape.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  if (op.axes) axes = normalize_axes(*op.axes, from.shape.rank());
  const std::vector<float> scales = scales_of(builder, node, op);
  ResizeParams params = {};
  params.input = from.pointer();
  params.output = to.pointer();
  params.type = from.element();
  params.bytes = static_cast<std::int32_t>(bytes_of(from.type, 1));
  params.copies = op.mode == Resampling::Mode::nearest ? 1 : 0;
  params.outside = op.extrapolation_value;
  params.count = to.count();
  params.sizes.axes = static_cast<std::int32_t>(from.shape.rank());
  const std::vector<std::int64_t> strides = strides_of(from.shape);
  for (std::int64_t axis = 0; axis < from.shape.rank(); ++axis) {
    params.sizes.size[axis] = to.shape[axis];
    params.strides[axis] = strides[static_cast<std::size_t>(axis)];
    const auto found = std::find(axes.begin(), axes.end(), axis);
    if (found == axes.end()) continue;
    const auto number = static_cast<std::size_t>(found - axes.begin());
    const std::int64_t in = from.shape[axis];
    const std::int64_t out = to.shape[axis];
    float scale = static_cast<float>(out) / static_cast<float>(in);
    auto exact = static_cast<float>(out);
    if (number < scales.size()) {
      scale = scales[number];
      exact = scale * static_cast<float>(in);
    }
    if (in == out && scale == 1.0F) continue;
    const AxisTable table = make_table(op, in, out, scale, exact);
    params.taps[axis] = table.taps;
    params.first[axis] = static_cast<const std::int32_t*>(builder.upload_bytes(
        table.first.data(), static_cast<std::int64_t>(table.first.size() * sizeof(std::int32_t))));
    params.weights[axis] = static_cast<const float*>(builder.upload_bytes(
        table.weights.data(), static_cast<std::int64_t>(table.weights.size() * sizeof(float))));
  }
  const auto& first = params.first;
  const auto& weights = params.weights;
  builder.launch_elements(
      from.type == DataType::float64 ? KernelId::resize_f64 : KernelId::resize_f32, params.count,
      params,
      {&params.input, &params.output, &first[0], &first[1], &first[2], &first[3], &first[4],
       &first[5], &first[6], &first[7], &weights[0], &weights[1], &weights[2], &weights[3],
       &weights[4], &weights[5], &weights[6], &weights[7]});
  return 0;
}

}  // namespace ortool::cuda

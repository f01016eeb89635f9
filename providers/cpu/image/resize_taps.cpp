// Resize taps: coordinate transformations, and the weights of nearest, linear and cubic modes.
#include "providers/cpu/image/resize_taps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {
namespace {

using Coordinates = Resampling::Coordinates;
using Mode = Resampling::Mode;

/// The input coordinate of output x.
float input_place(const Resampling& op, const ResizeRequest& request, std::int64_t position) {
  const auto x = static_cast<float>(position);
  const auto in = static_cast<float>(request.in);
  const float half_pixel = (x + 0.5F) / request.scale - 0.5F;
  switch (op.coordinates) {
    case Coordinates::asymmetric:
      return x / request.scale;
    case Coordinates::align_corners:
      return request.out_exact == 1.0F ? 0.0F : x * (in - 1.0F) / (request.out_exact - 1.0F);
    case Coordinates::pytorch_half_pixel:
      return request.out > 1 ? half_pixel : 0.0F;
    case Coordinates::half_pixel_symmetric: {
      const float adjustment = static_cast<float>(request.out) / request.out_exact;
      return in / 2.0F * (1.0F - adjustment) + half_pixel;
    }
    case Coordinates::tf_half_pixel_for_nn:
      return (x + 0.5F) / request.scale;
    case Coordinates::tf_crop_and_resize: {
      const float extent = (request.roi_end - request.roi_begin) * (in - 1.0F);
      if (request.out <= 1) return 0.5F * (request.roi_begin + request.roi_end) * (in - 1.0F);
      return request.roi_begin * (in - 1.0F) + x * extent / static_cast<float>(request.out - 1);
    }
    default:
      return half_pixel;
  }
}

std::int64_t nearest_input(Resampling::Nearest rounding, float scale, float place) {
  using Nearest = Resampling::Nearest;
  if (rounding == Nearest::outward) rounding = scale < 1.0F ? Nearest::ceil : Nearest::floor;
  const float below = std::floor(place);
  const float rest = place - below;
  bool goes_up = rest > 0.5F;
  if (rounding == Nearest::round_prefer_ceil) goes_up = rest >= 0.5F;
  if (rounding == Nearest::floor) goes_up = false;
  if (rounding == Nearest::ceil) goes_up = rest > 0.0F;
  return static_cast<std::int64_t>(below) + (goes_up ? 1 : 0);
}

double cubic_weight(double distance, double a) {
  const double x = std::abs(distance);
  if (x <= 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  if (x < 2.0) return ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a;
  return 0.0;
}

/// Reach and weights of taps by their distance from the input coordinate.
struct TapWeights {
  Mode mode;
  double a;
  double shrink;  ///< below 1, distances are scaled down: antialiasing widens the window

  std::int64_t reach() const {
    const double most = (mode == Mode::cubic ? 2.0 : 1.0) / shrink;
    return static_cast<std::int64_t>(std::ceil(most));
  }
  double weight(double distance) const {
    const double x = distance * shrink;
    return mode == Mode::cubic ? cubic_weight(x, a) : std::max(0.0, 1.0 - std::abs(x));
  }
};

/// Replaces each unused tap by splitting off half of the weight of the strongest tap.
void share_unused(std::int32_t* index, float* weight, std::int64_t taps) {
  const std::int64_t best =
      std::max_element(weight, weight + taps,
                       [](float a, float b) { return std::abs(a) < std::abs(b); }) -
      weight;
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    if (weight[tap] != 0.0F || tap == best) continue;
    weight[best] *= 0.5F;
    weight[tap] = weight[best];
    index[tap] = index[best];
  }
}

void set_weights(const Resampling& op, const ResizeRequest& request, const TapWeights& kernel,
                 float place, std::int64_t taps, std::int32_t* index, float* weight) {
  const auto below = static_cast<std::int64_t>(std::floor(place));
  const double rest = static_cast<double>(place) - static_cast<double>(below);
  const std::int64_t first = 1 - kernel.reach();
  double sum = 0;
  std::vector<double> exact(static_cast<std::size_t>(taps));
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    const std::int64_t at = below + first + tap;
    index[tap] = static_cast<std::int32_t>(std::clamp<std::int64_t>(at, 0, request.in - 1));
    double value = kernel.weight(static_cast<double>(first + tap) - rest);
    if (op.exclude_outside && index[tap] != at) value = 0;
    exact[static_cast<std::size_t>(tap)] = value;
    sum += value;
  }
  const bool scales = op.exclude_outside || op.antialias;
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    const double value = exact[static_cast<std::size_t>(tap)];
    weight[tap] = static_cast<float>(scales && sum != 0.0 ? value / sum : value);
  }
  share_unused(index, weight, taps);
}

TapWeights tap_weights(const Resampling& op, const ResizeRequest& request) {
  const double shrink = op.antialias ? std::min(1.0, static_cast<double>(request.scale)) : 1.0;
  return {op.mode, static_cast<double>(op.cubic_coeff_a), shrink};
}

std::int64_t taps_each(const Resampling& op, const ResizeRequest& request) {
  if (op.mode == Mode::nearest) return 1;
  const TapWeights kernel = tap_weights(op, request);
  if (!(2.0 / kernel.shrink <= 0x1p30))
    throw Error(ErrorCode::unsupported, "antialiasing over so many inputs");
  return 2 * kernel.reach();
}

}  // namespace

std::int64_t taps_bytes(const Resampling& op, const ResizeRequest& request) {
  constexpr std::int64_t bytes_each = sizeof(std::int32_t) + sizeof(float);
  return multiply_sizes(multiply_sizes(request.out, taps_each(op, request)), bytes_each);
}

ResizeAxis make_taps(const Resampling& op, const ResizeRequest& request, const StopToken* stop) {
  if (request.in > std::numeric_limits<std::int32_t>::max()) {
    throw Error(ErrorCode::unsupported,
                format("resizing an axis of {} is not supported (at most {})", request.in,
                       std::numeric_limits<std::int32_t>::max()));
  }
  if (request.out > 0 && request.in == 0) {
    throw Error(ErrorCode::invalid, format("an empty axis cannot become {} long", request.out));
  }
  ResizeAxis axis;
  axis.in = request.in;
  axis.out = request.out;
  axis.taps = taps_each(op, request);
  const TapWeights kernel = tap_weights(op, request);
  constexpr std::int64_t max_taps = std::int64_t{1} << 26;
  if (multiply_sizes(axis.out, axis.taps) > max_taps) {
    throw Error(ErrorCode::memory_limit,
                format("an axis of {} with {} filter taps each takes too much memory", axis.out,
                       axis.taps));
  }
  const auto count = static_cast<std::size_t>(axis.out * axis.taps);
  axis.index.resize(count);
  if (op.mode != Mode::nearest) axis.weight.resize(count);
  bool moves = request.in != request.out;
  const std::int64_t outputs_a_poll = std::max<std::int64_t>(1, 65536 / axis.taps);
  for (std::int64_t x = 0; x < request.out; ++x) {
    if (stop != nullptr && x % outputs_a_poll == 0) stop->poll();
    float place = input_place(op, request, x);
    std::int32_t* index = axis.index.data() + x * axis.taps;
    const auto last = static_cast<float>(request.in - 1);
    if (op.coordinates == Coordinates::tf_crop_and_resize && !(place >= 0.0F && place <= last)) {
      std::fill(index, index + axis.taps, -1);
      moves = true;
      continue;
    }
    // Far outside, every tap reads an edge pixel.
    const float reach = static_cast<float>(axis.taps) + 2.0F;
    place =
        place == place ? std::clamp(place, -reach, static_cast<float>(request.in) + reach) : 0.0F;
    if (op.mode == Mode::nearest) {
      index[0] = static_cast<std::int32_t>(std::clamp<std::int64_t>(
          nearest_input(op.nearest, request.scale, place), 0, request.in - 1));
      moves = moves || index[0] != x;
    } else {
      set_weights(op, request, kernel, place, axis.taps, index, axis.weight.data() + x * axis.taps);
      moves = moves || place != static_cast<float>(x);
    }
  }
  if (!moves && !op.antialias) return {.in = axis.in, .out = axis.out, .taps = 0};
  return axis;
}

ResizePlan join_identities(std::vector<ResizeAxis> axes) {
  ResizePlan plan;
  for (ResizeAxis& axis : axes) {
    const bool joins = axis.is_identity() && !plan.axes.empty() && plan.axes.back().is_identity();
    if (joins) {
      plan.axes.back().in = multiply_sizes(plan.axes.back().in, axis.in);
      plan.axes.back().out = plan.axes.back().in;
    } else {
      plan.axes.push_back(std::move(axis));
    }
  }
  if (plan.axes.empty()) plan.axes.push_back({.in = 1, .out = 1, .taps = 0});
  return plan;
}

}  // namespace ortool::cpu

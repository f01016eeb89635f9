// Weight quantization of a tensor viewed as outer x channel x inner.
#include "libcore/quantize/scheme/quantize_tensor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/error.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

struct ChannelView {
  std::int64_t outer = 1;
  std::int64_t channels = 1;
  std::int64_t inner = 1;

  ChannelView(const Shape& shape, std::optional<std::int64_t> axis) {
    if (!axis) {
      inner = shape.element_count();
      return;
    }
    const std::int64_t place = normalize_axis(*axis, shape.rank());
    outer = shape.product(0, place);
    channels = shape[place];
    inner = shape.product(place + 1, shape.rank());
  }

  /// Calls body(channel, flat index of the first, count) for each run of one channel among the
  /// elements from `first` on.
  template <typename Body>
  void pieces_within(std::int64_t first, std::int64_t count, Body body) const {
    std::int64_t channel = first / inner % channels;
    std::int64_t left = inner - first % inner;
    for (const std::int64_t last = first + count; first < last;) {
      const std::int64_t length = std::min(left, last - first);
      body(channel, first, length);
      first += length;
      left = inner;
      channel = channel + 1 < channels ? channel + 1 : 0;
    }
  }

  /// Calls body(flat index of the first, count) for each contiguous run of a channel.
  template <typename Body>
  void pieces_of(std::int64_t channel, Body body) const {
    for (std::int64_t i = 0; i < outer; ++i) body((i * channels + channel) * inner, inner);
  }
};

void check_type(const Tensor& tensor, const char* what) {
  if (is_floating_point(tensor.type())) return;
  throw Error(ErrorCode::invalid,
              format("{} to quantize are {}, not floats", what, name_of(tensor.type())));
}

void check_finite(std::span<const float> data, const char* what, std::int64_t first) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (std::isfinite(data[i])) continue;
    throw Error(
        ErrorCode::invalid,
        format("{} contain {} at element {}", what, data[i], first + static_cast<std::int64_t>(i)),
        "NaN and infinite values cannot be quantized");
  }
}

/// The elements as float32; throws unless all are finite.
Tensor finite_floats(const Tensor& tensor, const char* what) {
  check_type(tensor, what);
  Tensor floats = convert(tensor.aligned(), DataType::float32);
  check_finite(floats.data<float>(), what, 0);
  return floats;
}

/// Calls body(flat index of the first, elements as float32) for one chunk of the weights after
/// another, all finite. The mapped pages of a chunk are released afterward, so weights of any size
/// need the memory of a few chunks only.
template <typename Body>
void each_stretch(const Tensor& weights, Body body) {
  constexpr std::int64_t max_elements = std::int64_t{1} << 20;
  check_type(weights, "weights");
  const std::int64_t count = weights.element_count();
  const std::int64_t bits = element_bits(weights.type());
  for (std::int64_t first = 0; first < count; first += max_elements) {
    const std::int64_t part = std::min(max_elements, count - first);
    const std::span<const std::byte> bytes(weights.bytes() + first * bits / 8,
                                           static_cast<std::size_t>((part * bits + 7) / 8));
    const Tensor floats = convert(
        Tensor::view(weights.type(), Shape{part}, bytes, nullptr).aligned(), DataType::float32);
    check_finite(floats.data<float>(), "weights", first);
    body(first, floats.data<float>());
    if (count > max_elements) drop_pages(bytes);
  }
}

double squared_error(std::span<const float> data, const ChannelView& view, std::int64_t channel,
                     Scale scale, CodeRange codes) {
  double error = 0;
  view.pieces_of(channel, [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t i = first; i < first + count; ++i) {
      const float value = data[static_cast<std::size_t>(i)];
      const std::int64_t code = to_code(value, scale, codes);
      const double difference =
          static_cast<double>(scale.scale) * static_cast<double>(code - scale.zero_point) -
          static_cast<double>(value);
      error += difference * difference;
    }
  });
  return error;
}

std::vector<ValueRange> channel_ranges(const Tensor& weights, const ChannelView& view) {
  std::vector<ValueRange> ranges(static_cast<std::size_t>(view.channels));
  each_stretch(weights, [&](std::int64_t start, std::span<const float> data) {
    const auto count = static_cast<std::int64_t>(data.size());
    view.pieces_within(
        start, count, [&](std::int64_t channel, std::int64_t first, std::int64_t length) {
          ValueRange& range = ranges[static_cast<std::size_t>(channel)];
          for (std::int64_t i = first; i < first + length; ++i) {
            const auto value = static_cast<double>(data[static_cast<std::size_t>(i - start)]);
            range = {std::min(range.low, value), std::max(range.high, value)};
          }
        });
  });
  return ranges;
}

/// Steps of a twentieth first, then of a hundredth around the best.
Scale min_error_scale(std::span<const float> data, const ChannelView& view, std::int64_t channel,
                      ValueRange range, QuantizationType type) {
  const CodeRange codes = code_range_of(type);
  int best_percent = 100;
  Scale best = choose_scale(range, type);
  double least = squared_error(data, view, channel, best, codes);
  const auto try_percent = [&](int percent) {
    const double share = percent / 100.0;
    const Scale scale = choose_scale({range.low * share, range.high * share}, type);
    const double error = squared_error(data, view, channel, scale, codes);
    if (error >= least) return;
    least = error;
    best = scale;
    best_percent = percent;
  };
  for (int percent = 95; percent >= 35; percent -= 5) try_percent(percent);
  const int center = best_percent;
  for (int percent = std::min(99, center + 4); percent >= center - 4; --percent) {
    if (percent != center) try_percent(percent);
  }
  return best;
}

void check_scale_count(std::span<const Scale> scales, const ChannelView& view) {
  if (static_cast<std::int64_t>(scales.size()) == view.channels) return;
  throw Error(ErrorCode::invalid,
              format("{} scales are given for {} channels", scales.size(), view.channels));
}

}  // namespace

std::vector<Scale> choose_weight_scales(const Tensor& weights, const WeightOptions& options) {
  const ChannelView view(weights.shape(), options.axis);
  const std::vector<ValueRange> ranges = channel_ranges(weights, view);
  std::vector<Scale> scales;
  if (options.range == WeightRange::whole) {
    for (const ValueRange& range : ranges) scales.push_back(choose_scale(range, options.type));
    return scales;
  }
  const Tensor floats = finite_floats(weights, "weights");
  for (std::int64_t channel = 0; channel < view.channels; ++channel) {
    scales.push_back(min_error_scale(floats.data<float>(), view, channel,
                                     ranges[static_cast<std::size_t>(channel)], options.type));
  }
  return scales;
}

QuantizedData quantize_weights(const Tensor& weights, const WeightOptions& options,
                               MemoryCap* cap) {
  return quantize_with(weights, choose_weight_scales(weights, options), options.axis, options.type,
                       cap);
}

QuantizedData quantize_with(const Tensor& weights, std::span<const Scale> scales,
                            std::optional<std::int64_t> axis, QuantizationType type,
                            MemoryCap* cap) {
  const ChannelView view(weights.shape(), axis);
  check_scale_count(scales, view);
  const CodeRange codes = code_range_of(type);
  const Shape scale_shape = axis ? Shape{view.channels} : Shape{};
  QuantizedData result{Tensor(type.type, weights.shape(), cap),
                       Tensor(DataType::float32, scale_shape, cap),
                       Tensor(type.type, scale_shape, cap), axis};
  // The last byte of packed elements may be partly unused.
  std::fill_n(result.data.mutable_bytes(), result.data.size_bytes(), std::byte{0});
  std::fill_n(result.zero_points.mutable_bytes(), result.zero_points.size_bytes(), std::byte{0});
  for (std::int64_t channel = 0; channel < view.channels; ++channel) {
    const Scale scale = scales[static_cast<std::size_t>(channel)];
    result.scales.mutable_data<float>()[static_cast<std::size_t>(channel)] = scale.scale;
    set_element(result.zero_points, channel, scale.zero_point);
  }
  const bool is_byte = element_bits(type.type) == 8;
  std::byte* const bytes = result.data.mutable_bytes();
  each_stretch(weights, [&](std::int64_t start, std::span<const float> data) {
    const auto total = static_cast<std::int64_t>(data.size());
    view.pieces_within(start, total,
                       [&](std::int64_t channel, std::int64_t first, std::int64_t length) {
                         const Scale scale = scales[static_cast<std::size_t>(channel)];
                         for (std::int64_t i = first; i < first + length; ++i) {
                           const std::int64_t code =
                               to_code(data[static_cast<std::size_t>(i - start)], scale, codes);
                           if (is_byte) {
                             bytes[i] = static_cast<std::byte>(code);
                           } else {
                             set_element(result.data, i, code);
                           }
                         }
                       });
  });
  return result;
}

Tensor dequantize(const QuantizedData& quantized, MemoryCap* cap) {
  const ChannelView view(quantized.data.shape(), quantized.axis);
  const std::span<const float> scales = quantized.scales.data<float>();
  Tensor result(DataType::float32, quantized.data.shape(), cap);
  const std::span<float> out = result.mutable_data<float>();
  for (std::int64_t channel = 0; channel < view.channels; ++channel) {
    const std::int64_t zero_point = element_as_int64(quantized.zero_points, channel);
    const float scale = scales[static_cast<std::size_t>(channel)];
    view.pieces_of(channel, [&](std::int64_t first, std::int64_t count) {
      for (std::int64_t i = first; i < first + count; ++i) {
        out[static_cast<std::size_t>(i)] =
            static_cast<float>(element_as_int64(quantized.data, i) - zero_point) * scale;
      }
    });
  }
  return result;
}

Tensor bias_scales(float input_scale, const Tensor& weight_scales) {
  Tensor result(DataType::float32, weight_scales.shape());
  const std::span<const float> scales = weight_scales.data<float>();
  const std::span<float> out = result.mutable_data<float>();
  for (std::size_t i = 0; i < scales.size(); ++i) {
    out[i] = std::max(input_scale * scales[i], std::numeric_limits<float>::min());
  }
  return result;
}

Tensor quantize_bias(const Tensor& bias, const Tensor& scales, MemoryCap* cap) {
  const Tensor floats = finite_floats(bias, "biases");
  const std::span<const float> data = floats.data<float>();
  const std::span<const float> by = scales.data<float>();
  if (by.size() != 1 && by.size() != data.size()) {
    throw Error(ErrorCode::invalid,
                format("a bias of {} elements has {} scales", data.size(), by.size()));
  }
  Tensor result(DataType::int32, bias.shape(), cap);
  const std::span<std::int32_t> out = result.mutable_data<std::int32_t>();
  constexpr double lowest = std::numeric_limits<std::int32_t>::lowest();
  constexpr double highest = std::numeric_limits<std::int32_t>::max();
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double exact =
        static_cast<double>(data[i]) / static_cast<double>(by[by.size() == 1 ? 0 : i]);
    out[i] = static_cast<std::int32_t>(std::clamp(std::nearbyint(exact), lowest, highest));
  }
  return result;
}

std::int64_t widen_for_bias(std::span<Scale> weight_scales, float input_scale, const Tensor& bias) {
  const Tensor floats = finite_floats(bias, "biases");
  const std::span<const float> data = floats.data<float>();
  // Half of int32's range is reserved for the products.
  constexpr double most = 1 << 30;
  std::int64_t changed = 0;
  for (std::size_t i = 0; i < weight_scales.size(); ++i) {
    double largest = 0;
    for (std::size_t k = 0; k < data.size(); ++k) {
      if (weight_scales.size() > 1 && k != i) continue;
      largest = std::max(largest, std::abs(static_cast<double>(data[k])));
    }
    const double needed = largest / most / static_cast<double>(input_scale);
    if (needed <= static_cast<double>(weight_scales[i].scale)) continue;
    weight_scales[i].scale = static_cast<float>(std::min(needed * 1.000001, 3e38));
    ++changed;
  }
  return changed;
}

}  // namespace ortool

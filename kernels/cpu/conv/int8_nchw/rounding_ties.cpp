// Resolves rounding ties of int8 convolutions one output pixel at a time; they are rare.
#include "kernels/cpu/conv/int8_nchw/rounding_ties.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"

namespace ortool::cpu {
namespace {

/// Clamps to the range; NaN becomes the lower bound.
float clamped(float number, const Int8Range& range) {
  if (!(number >= range.low)) return range.low;
  return number > range.high ? range.high : number;
}

/// Rounds to nearest, ties to even, for values below 2^22: floats from 2^23 to 2^24 are integers.
float nearest(float number) {
  constexpr float whole = 0x1.8p23F;
  return (number + whole) - whole;
}

/// A kernel position inside the image: pixel offset from the start of the plane, and weight index.
struct Tap {
  std::int64_t pixel;
  std::int64_t weight;
};

constexpr std::int64_t max_taps = 128;
/// Of weights that are read at a time.
constexpr std::int64_t max_weights = 512;

/// Buffers products and adds them to a sum in batches.
class ProductRun {
 public:
  ProductRun(const QuantizeFunctions& functions, std::int32_t weight_zero, float weight_scale)
      : functions_(functions), zero_(weight_zero), scale_(weight_scale) {}

  /// Adds the products of the taps' pixels and weights, of which those from `first` on are given;
  /// at most max_taps.
  void add(const std::uint8_t* pixels, const float (&values)[256], const std::int8_t* weights,
           std::int64_t first, const Tap* taps, std::int64_t count) {
    if (count_ + count > most) flush();
    for (std::int64_t i = 0; i < count; ++i) {
      pixels_[count_ + i] = values[pixels[taps[i].pixel]];
      weights_[count_ + i] = weights[taps[i].weight - first];
    }
    count_ += count;
  }
  /// Adds those of adjacent channels of one pixel; at most max_taps.
  void add_channels(const std::uint8_t* pixels, const float (&values)[256],
                    const std::int8_t* weights, std::int64_t count) {
    if (count_ + count > most) flush();
    for (std::int64_t i = 0; i < count; ++i) {
      pixels_[count_ + i] = values[pixels[i]];
      weights_[count_ + i] = weights[i];
    }
    count_ += count;
  }
  void add(float pixel, std::int8_t weight) {
    if (count_ == most) flush();
    pixels_[count_] = pixel;
    weights_[count_++] = weight;
  }
  float sum() {
    flush();
    return sum_;
  }

 private:
  static constexpr std::int64_t most = 256;

  void flush() {
    float weights[most];
    for (std::int64_t i = 0; i < count_; ++i)
      weights[i] = static_cast<float>(weights_[i] - zero_) * scale_;
    sum_ = functions_.add_products(sum_, pixels_, weights, count_);
    count_ = 0;
  }

  const QuantizeFunctions& functions_;
  std::int32_t zero_;
  float scale_;
  float sum_ = 0.0F;
  std::int64_t count_ = 0;
  float pixels_[most];
  std::int8_t weights_[most];
};

/// The range of kernel positions along one axis that lie inside the image.
struct Inside {
  std::int64_t start;
  std::int64_t begin;
  std::int64_t end;

  Inside(const ConvSizes& sizes, int axis, std::int64_t at)
      : start(at * sizes.stride[axis] - sizes.pad[axis]) {
    const std::int64_t step = sizes.dilation[axis];
    begin = start >= 0 ? 0 : std::min(sizes.kernel[axis], (-start + step - 1) / step);
    const std::int64_t room = sizes.in[axis] - start;
    end = room <= 0 ? begin : std::min(sizes.kernel[axis], (room + step - 1) / step);
    end = std::max(begin, end);
  }
};

}  // namespace

RoundingTieResolver::RoundingTieResolver(const ConvSizes& sizes, const std::uint8_t* x,
                                         const Int8ConvDesc& desc, const Int8ConvParams& params,
                                         const WeightReader& weights,
                                         const QuantizeFunctions& functions, std::int64_t block)
    : sizes_(sizes),
      x_(x),
      image_flip_(desc.image_flip),
      params_(params),
      weights_(weights),
      functions_(functions),
      block_(block) {
  if (params.floats == nullptr) return;
  for (std::int32_t byte = 0; byte < 256; ++byte) {
    pixel_values_[byte] = static_cast<float>((byte ^ desc.image_flip) - params.image_zero) *
                          params.floats->image_scale;
  }
}

void RoundingTieResolver::requantize(std::int64_t image, std::int64_t channel, std::int64_t first,
                                     std::int64_t count, const std::int32_t* sums,
                                     std::int32_t offset, std::uint8_t* out) const {
  // Ties are rare: few chunks of this size contain one.
  constexpr std::int64_t max_pixels = 64;
  const std::int64_t piece = params_.floats != nullptr ? max_pixels : count;
  for (std::int64_t begin = 0; begin < count; begin += piece) {
    const std::int64_t pixels = std::min(piece, count - begin);
    if (functions_.requantize(sums + begin, pixels, offset, params_.epilogue.scales[channel],
                              params_.epilogue.range, out + begin) &&
        params_.floats != nullptr)
      resolve(image, channel, first + begin, pixels, sums + begin, offset, out + begin);
  }
}

void RoundingTieResolver::resolve(std::int64_t image, std::int64_t channel, std::int64_t first,
                                  std::int64_t count, const std::int32_t* sums, std::int32_t offset,
                                  std::uint8_t* out) const {
  const float scale = params_.epilogue.scales[channel];
  for (std::int64_t i = 0; i < count; ++i) {
    const auto sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) +
                                               static_cast<std::uint32_t>(offset));
    const float number = clamped(static_cast<float>(sum) * scale, params_.epilogue.range);
    if (std::abs(number - nearest(number)) <= 0.5F - tie_margin) continue;
    out[i] = decide(image, channel, first + i);
  }
}

std::uint8_t RoundingTieResolver::decide(std::int64_t image, std::int64_t channel,
                                         std::int64_t pixel) const {
  return round(convolve(image, channel, pixel), channel);
}

std::uint8_t RoundingTieResolver::decide_in_copy(std::int64_t channel, std::int64_t pixel,
                                                 const std::uint8_t* window, std::int64_t row_step,
                                                 std::int64_t column_step) const {
  const Inside rows(sizes_, 1, pixel / sizes_.out[2]);
  const Inside columns(sizes_, 2, pixel % sizes_.out[2]);
  const std::int32_t weight_zero =
      params_.weight_zeros != nullptr ? params_.weight_zeros[channel] : 0;
  ProductRun run(functions_, weight_zero, params_.floats->weight_scales[channel]);
  std::int8_t weights[max_weights];
  for (std::int64_t kh = rows.begin; kh < rows.end; ++kh) {
    for (std::int64_t first = columns.begin; first < columns.end; first += max_weights) {
      const std::int64_t count = std::min(max_weights, columns.end - first);
      weights_.read({channel, 0, 1, kh * sizes_.kernel[2] + first, count}, weights);
      for (std::int64_t i = 0; i < count; ++i) {
        const std::uint8_t byte = window[kh * row_step + (first + i) * column_step];
        run.add(pixel_values_[byte ^ image_flip_], weights[i]);
      }
    }
  }
  return round(run.sum(), channel);
}

std::uint8_t RoundingTieResolver::round(float sum, std::int64_t channel) const {
  const Int8ConvFloats& floats = *params_.floats;
  const float value = floats.biases != nullptr ? sum + floats.biases[channel] : sum;
  const float exact = value / floats.out_scale;
  const auto whole = static_cast<std::int32_t>(nearest(clamped(exact, params_.epilogue.range)));
  return static_cast<std::uint8_t>(whole + params_.epilogue.range.zero_point);
}

float RoundingTieResolver::convolve(std::int64_t image, std::int64_t channel,
                                    std::int64_t pixel) const {
  const Int8ConvFloats& floats = *params_.floats;
  const std::int64_t channels = sizes_.channels_in / sizes_.groups;
  const std::int64_t first = channel / (sizes_.channels_out / sizes_.groups) * channels;
  const Inside depths(sizes_, 0, pixel / (sizes_.out[1] * sizes_.out[2]));
  const Inside rows(sizes_, 1, pixel / sizes_.out[2] % sizes_.out[1]);
  const Inside columns(sizes_, 2, pixel % sizes_.out[2]);
  const std::int32_t weight_zero =
      params_.weight_zeros != nullptr ? params_.weight_zeros[channel] : 0;
  const std::int64_t blocks = (sizes_.channels_in + block_ - 1) / block_;
  const std::int64_t pixels = volume(sizes_.in);
  const int block_bits = std::countr_zero(static_cast<std::uint64_t>(block_));
  const std::int64_t kernel_taps = volume(sizes_.kernel);
  ProductRun run(functions_, weight_zero, floats.weight_scales[channel]);
  std::int8_t weights[max_weights];
  Tap taps[max_taps];
  std::int64_t count = 0;
  const auto each_tap = [&](const auto& full) {
    for (std::int64_t kd = depths.begin; kd < depths.end; ++kd) {
      const std::int64_t z = (depths.start + kd * sizes_.dilation[0]) * sizes_.in[1];
      for (std::int64_t kh = rows.begin; kh < rows.end; ++kh) {
        const std::int64_t y = (z + rows.start + kh * sizes_.dilation[1]) * sizes_.in[2];
        for (std::int64_t kw = columns.begin; kw < columns.end; ++kw) {
          const std::int64_t x = y + columns.start + kw * sizes_.dilation[2];
          const std::int64_t weight = (kd * sizes_.kernel[1] + kh) * sizes_.kernel[2] + kw;
          if (count == max_taps || (count > 0 && weight - taps[0].weight >= max_weights)) full();
          taps[count++] = {x * block_, weight};
        }
      }
    }
  };
  const auto plane_of = [&](std::int64_t i) {
    const std::int64_t block = i >> block_bits;
    return x_ + ((image * blocks + block) * pixels << block_bits) + (i - (block << block_bits));
  };
  if (kernel_taps <= max_taps) {
    each_tap([] {});
    const std::int64_t together = max_weights / std::max<std::int64_t>(kernel_taps, 1);
    for (std::int64_t i = 0; i < channels; i += together) {
      const std::int64_t inputs = std::min(together, channels - i);
      weights_.read({channel, i, inputs, 0, kernel_taps}, weights);
      const bool is_pixel = kernel_taps == 1 && count == 1 && block_ > 1;
      for (std::int64_t k = 0; is_pixel && k < inputs;) {
        const std::int64_t adjacent =
            std::min({block_ - (first + i + k) % block_, inputs - k, max_taps});
        run.add_channels(plane_of(first + i + k) + taps[0].pixel, pixel_values_, weights + k,
                         adjacent);
        k += adjacent;
      }
      for (std::int64_t k = 0; !is_pixel && k < inputs; ++k)
        run.add(plane_of(first + i + k), pixel_values_, weights + k * kernel_taps, 0, taps, count);
    }
    return run.sum();
  }
  for (std::int64_t i = 0; i < channels; ++i) {
    const auto add = [&] {
      if (count == 0) return;
      const std::int64_t first_tap = taps[0].weight;
      weights_.read({channel, i, 1, first_tap, taps[count - 1].weight + 1 - first_tap}, weights);
      run.add(plane_of(first + i), pixel_values_, weights, first_tap, taps, count);
      count = 0;
    };
    each_tap(add);
    add();
  }
  return run.sum();
}

}  // namespace ortool::cpu

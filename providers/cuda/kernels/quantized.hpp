// Kernels on 8-bit integers: operands and epilogues of products and convolutions, and elementwise
// operators. Sums are exact, and floats are rounded as the cpu provider rounds them.
#pragma once

#include "providers/cuda/kernels/elementwise.hpp"
#include "providers/cuda/kernels/quantized_params.hpp"

namespace ortool::cuda {

// Products and sums that are rounded each, not fused.
#ifdef __CUDACC__
ORTOOL_DEVICE float rounded_product(float a, float b) {
  return __fmul_rn(a, b);
}
ORTOOL_DEVICE float rounded_sum(float a, float b) {
  return __fadd_rn(a, b);
}
ORTOOL_DEVICE double rounded_product(double a, double b) {
  return __dmul_rn(a, b);
}
/// sum + the products of four signed bytes.
ORTOOL_DEVICE int32_t add_dot(uint32_t a, uint32_t b, int32_t sum) {
  return __dp4a(static_cast<int32_t>(a), static_cast<int32_t>(b), sum);
}
#else
inline float rounded_product(float a, float b) {
  return a * b;
}
inline float rounded_sum(float a, float b) {
  return a + b;
}
inline double rounded_product(double a, double b) {
  return a * b;
}
inline int32_t add_dot(uint32_t a, uint32_t b, int32_t sum) {
  for (unsigned shift = 0; shift < 32; shift += 8)
    sum += static_cast<int8_t>(a >> shift) * static_cast<int8_t>(b >> shift);
  return sum;
}
#endif

ORTOOL_DEVICE int32_t flip_of(int32_t type) {
  return type == element_u8 ? 128 : 0;
}
ORTOOL_DEVICE uint32_t flip_of_word(int32_t type) {
  return type == element_u8 ? 0x80808080U : 0U;
}
ORTOOL_DEVICE int32_t signed_byte(uint32_t byte) {
  return static_cast<int8_t>(static_cast<uint8_t>(byte));
}

/// A zero point as it is.
ORTOOL_DEVICE int32_t zero_point_at(const void* data, int32_t type, int64_t index) {
  if (data == nullptr) return 0;
  return type == element_u8 ? int32_t{static_cast<const uint8_t*>(data)[index]}
                            : int32_t{static_cast<const int8_t*>(data)[index]};
}
ORTOOL_DEVICE int32_t zero_point_at(const ZeroPointList& zeros, int64_t index) {
  return zero_point_at(zeros.data, zeros.type, zeros.is_list != 0 ? index : 0);
}
/// Of flipped values.
ORTOOL_DEVICE int32_t signed_zero_point(const ZeroPointList& zeros, int64_t index) {
  return zero_point_at(zeros, index) - flip_of(zeros.type);
}

/// Integers wrap around.
ORTOOL_DEVICE int32_t wrapped(uint32_t value) {
  return static_cast<int32_t>(value);
}
ORTOOL_DEVICE uint32_t unsigned_of(int64_t value) {
  return static_cast<uint32_t>(value);
}

/// Within the bounds; NaN becomes the lower one.
ORTOOL_DEVICE float kept_within(float number, float low, float high) {
  if (!(number >= low)) return low;
  return number > high ? high : number;
}
/// The quantized value of a number in units of its scale.
ORTOOL_DEVICE int32_t code_of(float number, float low, float high, int32_t zero) {
  return static_cast<int32_t>(rintf(kept_within(number, low, high))) + zero;
}
ORTOOL_DEVICE uint8_t byte_of(float number, float low, float high, int32_t zero) {
  return static_cast<uint8_t>(code_of(number, low, high, zero));
}
/// NaN counts as 0.
ORTOOL_DEVICE float nan_as_zero(float number) {
  return number != number ? 0.0F : number;
}

ORTOOL_DEVICE void pack_bytes(const Block& block, const PackBytesParams& params) {
  const int64_t row_words = params.padded_size / 4;
  const int64_t count = params.matrices * params.padded_rows * row_words;
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < count;
         i += block.blocks() * block.threads()) {
      const int64_t row = i / row_words % params.padded_rows;
      const int64_t matrix = i / row_words / params.padded_rows;
      const int64_t start = matrix * params.matrix_stride + row * params.row_stride;
      for (int64_t place = 0; place < 4; ++place) {
        const int64_t column = i % row_words * 4 + place;
        const bool is_inside = row < params.rows && column < params.size;
        params.to[i * 4 + place] =
            is_inside ? static_cast<uint8_t>(params.from[start + column * params.element_stride] ^
                                             params.flip)
                      : uint8_t{0};
      }
    }
  }
}

constexpr int sum_threads = 64;

ORTOOL_DEVICE void sum_bytes(const Block& block, const SumBytesParams& params) {
  ORTOOL_SHARED(int32_t, partial, sum_threads);
  for (int64_t row = block.index(); row < params.rows; row += block.blocks()) {
    const auto* words = reinterpret_cast<const uint32_t*>(params.from + row * params.size);
    ORTOOL_THREADS(block, thread) {
      int32_t sum = 0;
      for (int64_t i = thread; i < params.size / 4; i += sum_threads)
        sum = add_dot(words[i], 0x01010101U, sum);
      partial[thread] = sum;
    }
    ORTOOL_THREADS(block, thread) {
      if (thread == 0) {
        int32_t sum = 0;
        for (int i = 0; i < sum_threads; ++i) sum += partial[i];
        params.to[row] = sum;
      }
    }
  }
}

ORTOOL_DEVICE void multiply_bytes(const Block& block, const MultiplyBytesParams& params) {
  const int64_t count = params.matrices * params.m * params.n;
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < count;
         i += block.blocks() * block.threads()) {
      const int64_t column = i % params.n;
      const int64_t row = i / params.n;
      const auto* a = reinterpret_cast<const uint32_t*>(
          params.a + row / params.m * params.a_stride + row % params.m * params.k);
      const auto* b = reinterpret_cast<const uint32_t*>(
          params.b + row / params.m * params.b_stride + column * params.k);
      int32_t sum = 0;
      for (int64_t k = 0; k < params.k / 4; ++k) sum = add_dot(a[k], b[k], sum);
      params.out[i] = sum;
    }
  }
}

/// Where a window begins in its image, from the number of a pixel of the result.
struct WindowPlace {
  int64_t image;  ///< its first pixel
  int64_t top;
  int64_t left;
};
ORTOOL_DEVICE WindowPlace place_of_window(const ByteWindows& windows, int64_t pixel) {
  const int64_t x = pixel % windows.out[1];
  const int64_t y = pixel / windows.out[1] % windows.out[0];
  const int64_t image = pixel / windows.out[1] / windows.out[0];
  return {image * windows.in[0] * windows.in[1], y * windows.stride[0] - windows.pad[0],
          x * windows.stride[1] - windows.pad[1]};
}
/// The pixel of a tap; -1: outside.
ORTOOL_DEVICE int64_t pixel_of_tap(const ByteWindows& windows, const WindowPlace& place,
                                   int64_t tap) {
  const int64_t y = place.top + tap / windows.kernel[1] * windows.dilation[0];
  const int64_t x = place.left + tap % windows.kernel[1] * windows.dilation[1];
  if (y < 0 || y >= windows.in[0] || x < 0 || x >= windows.in[1]) return -1;
  return place.image + y * windows.in[1] + x;
}

ORTOOL_DEVICE void window_rows(const Block& block, const WindowRowsParams& params) {
  const ByteWindows& windows = params.windows;
  const int64_t row_words = params.padded_size / 4;
  const int64_t size = windows.kernel[0] * windows.kernel[1] * windows.channels;
  const auto flip = static_cast<uint32_t>(flip_of(windows.image_zero.type));
  const uint32_t outside = unsigned_of(zero_point_at(windows.image_zero, 0)) ^ flip;
  const bool has_words = windows.channels % 4 == 0;
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < params.rows * row_words;
         i += block.blocks() * block.threads()) {
      const WindowPlace place = place_of_window(windows, params.first + i / row_words);
      const int64_t first = i % row_words * 4;
      uint32_t word = 0;
      if (has_words && first < size) {
        const int64_t pixel = pixel_of_tap(windows, place, first / windows.channels);
        word = pixel < 0
                   ? outside % 256U * 0x01010101U
                   : *reinterpret_cast<const uint32_t*>(windows.images + pixel * windows.channels +
                                                        first % windows.channels) ^
                         flip_of_word(windows.image_zero.type);
      } else {
        for (int64_t j = 0; j < 4 && first + j < size; ++j) {
          const int64_t pixel = pixel_of_tap(windows, place, (first + j) / windows.channels);
          const uint32_t byte =
              pixel < 0
                  ? outside
                  : windows.images[pixel * windows.channels + (first + j) % windows.channels] ^
                        flip;
          word |= byte % 256U << static_cast<uint32_t>(8 * j);
        }
      }
      reinterpret_cast<uint32_t*>(params.to)[i] = word;
    }
  }
}

/// The dequantized value of a window, each product added with a single rounding.
ORTOOL_DEVICE_CALL float real_window_sum(const ByteWindows& windows, const RoundingTies& ties,
                                         int32_t weight_zero, int64_t pixel, int64_t filter) {
  const WindowPlace place = place_of_window(windows, pixel);
  const int64_t channel = filter / windows.group_filters * windows.group_channels;
  const int32_t image_zero = zero_point_at(windows.image_zero, 0);
  const bool is_signed = windows.image_zero.type == element_i8;
  const float weight_scale = ties.weight_scales[filter];
  float sum = 0;
  for (int64_t c = 0; c < windows.group_channels; ++c) {
    for (int64_t tap = 0; tap < windows.kernel[0] * windows.kernel[1]; ++tap) {
      const int64_t at = pixel_of_tap(windows, place, tap);
      if (at < 0) continue;
      const uint8_t byte = windows.images[at * windows.channels + channel + c];
      const int32_t value = is_signed ? signed_byte(byte) : int32_t{byte};
      const int32_t weight = ties.weights[filter * ties.filter_stride + tap * ties.tap_stride +
                                          c * ties.channel_stride];
      sum = fmaf(rounded_product(static_cast<float>(value - image_zero), ties.image_scale),
                 rounded_product(static_cast<float>(weight - weight_zero), weight_scale), sum);
    }
  }
  return ties.biases == nullptr ? sum : rounded_sum(sum, ties.biases[filter]);
}

/// Stores what becomes of a sum, at `index` of the result. Column parameters are those of column
/// `parameter`; `pixel` and `windows` are for rounding ties.
ORTOOL_DEVICE void finish_sum(const SumEpilogue& epilogue, int32_t sum, int32_t row_sum,
                              int64_t parameter, int64_t column, int64_t index, int64_t pixel,
                              const ByteWindows& windows) {
  const int32_t b_zero = signed_zero_point(epilogue.b_zero, column);
  uint32_t whole = unsigned_of(sum);
  const uint32_t column_sum = unsigned_of(epilogue.column_sums[parameter]) -
                              unsigned_of(epilogue.depth) * unsigned_of(b_zero);
  whole -= unsigned_of(signed_zero_point(epilogue.a_zero, 0)) * column_sum;
  whole -= unsigned_of(b_zero) * unsigned_of(row_sum);
  if (epilogue.biases != nullptr) whole += unsigned_of(epilogue.biases[column]);
  if (epilogue.result == SumResult::integers) {
    static_cast<int32_t*>(epilogue.out)[index] = wrapped(whole);
    return;
  }
  auto number = static_cast<float>(wrapped(whole));
  if (epilogue.scales != nullptr) {
    const int32_t zero = zero_point_at(epilogue.byte_zero, epilogue.byte_type, 0);
    const auto low = static_cast<float>(epilogue.low - zero);
    const auto high = static_cast<float>(epilogue.high - zero);
    number = kept_within(rounded_product(number, epilogue.scales[column]), low, high);
    constexpr float tie_margin = 0x1p-13F;
    if (epilogue.ties.weight_scales != nullptr &&
        fabsf(number - rintf(number)) > 0.5F - tie_margin) {
      number =
          real_window_sum(windows, epilogue.ties, b_zero, pixel, column) / epilogue.ties.out_scale;
    }
    const int32_t code = code_of(number, low, high, zero);
    if (epilogue.result == SumResult::bytes) {
      static_cast<uint8_t*>(epilogue.out)[index] = static_cast<uint8_t>(code);
      return;
    }
    number = rounded_product(static_cast<float>(code - zero_point_at(epilogue.step_zero, 0)),
                             epilogue.step);
  } else if (epilogue.factors != nullptr) {
    number = rounded_product(number, load<float>(AnyStore(), epilogue.factors, epilogue.factor_type,
                                                 epilogue.has_factor_list != 0 ? column : 0));
  }
  if (epilogue.addends != nullptr)
    number = rounded_sum(number,
                         load<float>(AnyStore(), epilogue.addends, epilogue.addend_type, column));
  store(AnyStore(), epilogue.out, epilogue.out_type, index, number);
}

ORTOOL_DEVICE void requantize_sums(const Block& block, const RequantizeParams& params) {
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < params.rows * params.columns;
         i += block.blocks() * block.threads()) {
      const int64_t column = i % params.columns;
      const int64_t row = i / params.columns;
      const int64_t at = params.first + row;
      finish_sum(params.epilogue, params.sums[row * params.padded_columns + column],
                 params.row_sums == nullptr ? 0 : params.row_sums[row % params.row_period],
                 at / params.matrix_rows * params.matrix_columns + column, column,
                 at * params.columns + column, at, params.windows);
    }
  }
}

/// One result of a convolution of groups, with its window's sum of values where weights have zero
/// points. Taps outside are at the zero point.
ORTOOL_DEVICE void finish_window(const ByteConvParams& params, int64_t pixel, int64_t filter) {
  const ByteWindows& windows = params.windows;
  const WindowPlace place = place_of_window(windows, pixel);
  const int64_t taps = windows.kernel[0] * windows.kernel[1];
  const int64_t channels = windows.group_channels;
  const int64_t channel = filter / windows.group_filters * channels;
  const int32_t outside = signed_zero_point(windows.image_zero, 0);
  const auto flip = static_cast<uint32_t>(flip_of(windows.image_zero.type));
  const bool has_words = channels % 4 == 0;
  int32_t sum = 0;
  int32_t values = 0;
  for (int64_t tap = 0; tap < taps; ++tap) {
    const int64_t at = pixel_of_tap(windows, place, tap);
    const int8_t* weights = params.weights + (filter * taps + tap) * channels;
    const uint8_t* from = windows.images + at * windows.channels + channel;
    if (has_words) {
      const uint32_t word_flip = flip_of_word(windows.image_zero.type);
      for (int64_t c = 0; c < channels; c += 4) {
        const uint32_t word = at < 0 ? (unsigned_of(outside) % 256U) * 0x01010101U
                                     : *reinterpret_cast<const uint32_t*>(from + c) ^ word_flip;
        sum = add_dot(word, *reinterpret_cast<const uint32_t*>(weights + c), sum);
        values = add_dot(word, 0x01010101U, values);
      }
      continue;
    }
    for (int64_t c = 0; c < channels; ++c) {
      const int32_t value = at < 0 ? outside : signed_byte(from[c] ^ flip);
      sum += value * weights[c];
      values += value;
    }
  }
  finish_sum(params.epilogue, sum, values, filter, filter, pixel * windows.filters + filter, pixel,
             windows);
}

ORTOOL_DEVICE void grouped_byte_conv(const Block& block, const ByteConvParams& params) {
  const ByteWindows& windows = params.windows;
  const int64_t count = windows.batch * windows.out[0] * windows.out[1] * windows.filters;
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < count;
         i += block.blocks() * block.threads()) {
      finish_window(params, i / windows.filters, i % windows.filters);
    }
  }
}

/// One thread for four adjacent channels of a pixel, each with a filter of its own.
ORTOOL_DEVICE void depthwise_byte_conv(const Block& block, const ByteConvParams& params) {
  const ByteWindows& windows = params.windows;
  const int64_t words = windows.channels / 4;
  const int64_t taps = windows.kernel[0] * windows.kernel[1];
  const int64_t count = windows.batch * windows.out[0] * windows.out[1] * words;
  const uint32_t outside =
      unsigned_of(signed_zero_point(windows.image_zero, 0)) % 256U * 0x01010101U;
  const uint32_t flip = flip_of_word(windows.image_zero.type);
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < count;
         i += block.blocks() * block.threads()) {
      const int64_t pixel = i / words;
      const int64_t channel = i % words * 4;
      const WindowPlace place = place_of_window(windows, pixel);
      int32_t sums[4] = {};
      int32_t values[4] = {};
      for (int64_t tap = 0; tap < taps; ++tap) {
        const int64_t at = pixel_of_tap(windows, place, tap);
        const uint32_t word = at < 0 ? outside
                                     : *reinterpret_cast<const uint32_t*>(
                                           windows.images + at * windows.channels + channel) ^
                                           flip;
        const uint32_t weights =
            *reinterpret_cast<const uint32_t*>(params.weights + tap * windows.channels + channel);
        ORTOOL_UNROLL
        for (uint32_t j = 0; j < 4; ++j) {
          const int32_t value = signed_byte(word >> (8 * j));
          sums[j] += value * signed_byte(weights >> (8 * j));
          values[j] += value;
        }
      }
      ORTOOL_UNROLL
      for (int j = 0; j < 4; ++j) {
        finish_sum(params.epilogue, sums[j], values[j], channel + j, channel + j,
                   pixel * windows.channels + channel + j, pixel, windows);
      }
    }
  }
}

ORTOOL_DEVICE float real_of_byte(const uint8_t* data, const ZeroPointList& zero, float scale,
                                 int64_t index) {
  const int32_t value = zero_point_at(data, zero.type, index);
  return rounded_product(static_cast<float>(value - zero_point_at(zero, 0)), scale);
}

ORTOOL_DEVICE void byte_binary(const Block& block, const ByteBinaryParams& params) {
  const int32_t zero = zero_point_at(params.out_zero, params.out_type, 0);
  const auto low = static_cast<float>(params.low - zero);
  const auto high = static_cast<float>(params.high - zero);
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < params.count;
         i += block.blocks() * block.threads()) {
      const float a = real_of_byte(params.a, params.a_zero, params.a_scale,
                                   strided_index(params.sizes, params.a_strides, i));
      const float b = real_of_byte(params.b, params.b_zero, params.b_scale,
                                   strided_index(params.sizes, params.b_strides, i));
      const float both = params.op == ByteBinaryOp::multiply   ? rounded_product(a, b)
                         : params.op == ByteBinaryOp::subtract ? rounded_sum(a, -b)
                                                               : rounded_sum(a, b);
      params.out[i] = byte_of(nan_as_zero(both / params.out_scale), low, high, zero);
    }
  }
}

constexpr int mean_threads = 64;

ORTOOL_DEVICE void byte_mean(const Block& block, const ByteMeanParams& params) {
  ORTOOL_SHARED(int64_t, partial, mean_threads);
  const int32_t out_zero = zero_point_at(params.out_zero, params.out_type, 0);
  const auto low = static_cast<double>(params.low - out_zero);
  const auto high = static_cast<double>(params.high - out_zero);
  for (int64_t row = block.index(); row < params.rows; row += block.blocks()) {
    const int64_t start =
        row / params.channels * params.image_stride + row % params.channels * params.channel_stride;
    ORTOOL_THREADS(block, thread) {
      const int32_t zero = zero_point_at(params.zero, 0);
      int64_t sum = 0;
      for (int64_t i = thread; i < params.pixels; i += mean_threads)
        sum +=
            zero_point_at(params.input, params.zero.type, start + i * params.pixel_stride) - zero;
      partial[thread] = sum;
    }
    ORTOOL_THREADS(block, thread) {
      if (thread == 0) {
        int64_t sum = 0;
        for (int i = 0; i < mean_threads; ++i) sum += partial[i];
        const double mean =
            rounded_product(static_cast<double>(sum), static_cast<double>(params.scale)) /
            static_cast<double>(params.pixels) / static_cast<double>(params.out_scale);
        const double rounded = rint(mean);
        const double kept = rounded < low ? low : rounded > high ? high : rounded;
        params.out[row] = static_cast<uint8_t>(narrow_integer(kept) + out_zero);
      }
    }
  }
}

ORTOOL_DEVICE void byte_lookup(const Block& block, const ByteLookupParams& params) {
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < params.count;
         i += block.blocks() * block.threads()) {
      const int64_t table = channel_index(i, params.inner, params.channels);
      params.out[i] = params.tables[table * 256 + params.input[i]];
    }
  }
}

constexpr int range_threads = 256;

/// The least and the greatest element of each block's, and 0; NaN is left out.
ORTOOL_DEVICE void value_range(const Block& block, const DynamicQuantizeParams& params) {
  ORTOOL_SHARED(float, lows, range_threads);
  ORTOOL_SHARED(float, highs, range_threads);
  ORTOOL_THREADS(block, thread) {
    float low = 0;
    float high = 0;
    for (int64_t i = block.index() * block.threads() + thread; i < params.count;
         i += block.blocks() * block.threads()) {
      const float value = load<float>(AnyStore(), params.input, params.type, i);
      if (value < low) low = value;
      if (value > high) high = value;
    }
    lows[thread] = low;
    highs[thread] = high;
  }
  ORTOOL_THREADS(block, thread) {
    if (thread == 0) {
      float low = 0;
      float high = 0;
      for (int i = 0; i < range_threads; ++i) {
        low = least_of(low, lows[i]);
        high = greatest_of(high, highs[i]);
      }
      params.extremes[block.index()] = low;
      params.extremes[range_blocks + block.index()] = high;
    }
  }
}

ORTOOL_DEVICE void dynamic_quantize(const Block& block, const DynamicQuantizeParams& params) {
  float low = 0;
  float high = 0;
  for (int i = 0; i < range_blocks; ++i) {
    low = least_of(low, params.extremes[i]);
    high = greatest_of(high, params.extremes[range_blocks + i]);
  }
  const float range = rounded_sum(high, -low);
  const float scale = range == 0.0F ? 1.0F : range / 255.0F;
  // The range may be infinite.
  const float zero = nan_as_zero(rintf(clip_of(-low / scale, 0.0F, 255.0F)));
  ORTOOL_THREADS(block, thread) {
    const int64_t first = block.index() * block.threads() + thread;
    for (int64_t i = first; i < params.count; i += block.blocks() * block.threads()) {
      const float value = load<float>(AnyStore(), params.input, params.type, i);
      params.out[i] =
          byte_of(nan_as_zero(value / scale), -zero, 255.0F - zero, static_cast<int32_t>(zero));
    }
    if (first == 0 && params.scale != nullptr) *params.scale = scale;
    if (first == 0 && params.zero_point != nullptr) *params.zero_point = static_cast<uint8_t>(zero);
  }
}

}  // namespace ortool::cuda

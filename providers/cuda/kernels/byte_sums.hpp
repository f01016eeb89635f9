// Kernels that finish sums of int8 products: requantization, and convolutions of groups of
// channels. Sums are exact, and floats are rounded as the cpu provider rounds them.
#pragma once

#include "providers/cuda/kernels/byte_operands.hpp"
#include "providers/cuda/kernels/elementwise.hpp"

namespace ortool::cuda {

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

/// The byte `code` and the one at `index` of the residual, added and quantized as byte_binary does.
ORTOOL_DEVICE uint8_t with_residual(const ByteResidual& residual, int32_t code, int64_t index) {
  const float own = rounded_product(static_cast<float>(code - zero_point_at(residual.sum_zero, 0)),
                                    residual.sum_scale);
  const float both =
      rounded_sum(own, real_of_byte(residual.bytes, residual.zero, residual.scale, index));
  const int32_t zero = zero_point_at(residual.out_zero, residual.out_type, 0);
  return byte_of(nan_as_zero(both / residual.out_scale), static_cast<float>(residual.low - zero),
                 static_cast<float>(residual.high - zero), zero);
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
      static_cast<uint8_t*>(epilogue.out)[index] =
          epilogue.residual.bytes != nullptr ? with_residual(epilogue.residual, code, index)
                                             : static_cast<uint8_t>(code);
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

}  // namespace ortool::cuda

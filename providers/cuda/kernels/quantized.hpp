// Elementwise kernels on 8-bit integers: sums and products, means, lookups, and quantization by the
// range of the elements.
#pragma once

#include "providers/cuda/kernels/byte_numbers.hpp"
#include "providers/cuda/kernels/elementwise.hpp"

namespace ortool::cuda {

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

// Image kernels: pools, resizing, and direct convolutions.
#pragma once

#include "providers/cuda/kernels/elementwise.hpp"

namespace ortool::cuda {

/// One thread for each result.
template <typename Real, typename Storage>
ORTOOL_DEVICE void pool(const Block& block, const PoolParams& params) {
  const int64_t plane = params.out[0] * params.out[1] * params.out[2];
  const int64_t in_plane = params.in[0] * params.in[1] * params.in[2];
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread;
         i < params.planes * plane * params.inner; i += block.blocks() * block.threads()) {
      const int64_t pixel = i / params.inner;
      const int64_t x = pixel % params.out[2];
      const int64_t y = pixel / params.out[2] % params.out[1];
      const int64_t z = pixel / params.out[2] / params.out[1] % params.out[0];
      const int64_t base = pixel / plane * in_plane * params.inner + i % params.inner;
      const int64_t start[3] = {z * params.stride[0] - params.pad_begin[0],
                                y * params.stride[1] - params.pad_begin[1],
                                x * params.stride[2] - params.pad_begin[2]};
      Real sum = params.kind == PoolKind::max ? Real(-INFINITY) : Real(0);
      int64_t place = -1;
      int64_t count = 0;
      for (int64_t a = 0; a < params.kernel[0]; ++a) {
        const int64_t depth = start[0] + a * params.dilation[0];
        if (depth >= params.in[0] + params.pad_end[0]) break;
        for (int64_t b = 0; b < params.kernel[1]; ++b) {
          const int64_t row = start[1] + b * params.dilation[1];
          if (row >= params.in[1] + params.pad_end[1]) break;
          for (int64_t c = 0; c < params.kernel[2]; ++c) {
            const int64_t column = start[2] + c * params.dilation[2];
            if (column >= params.in[2] + params.pad_end[2]) break;
            const bool is_inside = depth >= 0 && depth < params.in[0] && row >= 0 &&
                                   row < params.in[1] && column >= 0 && column < params.in[2];
            count += is_inside || params.counts_pads != 0 ? 1 : 0;
            if (!is_inside) continue;
            const int64_t at = (depth * params.in[1] + row) * params.in[2] + column;
            const Real value =
                load<Real>(Storage(), params.input, params.type, base + at * params.inner);
            if (params.kind == PoolKind::max) {
              if (place < 0 || value > sum || (value != value && sum == sum)) {
                sum = value;
                place = at;
              }
            } else if (params.kind == PoolKind::average) {
              sum += value;
            } else {
              sum += of_pow(value < Real(0) ? -value : value, static_cast<Real>(params.norm));
            }
          }
        }
      }
      if (params.kind == PoolKind::average)
        sum = count == 0 ? Real(0) : sum / static_cast<Real>(count);
      if (params.kind == PoolKind::lp) sum = of_pow(sum, Real(1) / static_cast<Real>(params.norm));
      store(Storage(), params.output, params.type, i, sum);
      if (params.indices != nullptr) {
        int64_t at = place;
        if (params.column_major != 0 && place >= 0) {
          const int64_t column = place % params.in[2];
          const int64_t row = place / params.in[2] % params.in[1];
          const int64_t depth = place / params.in[2] / params.in[1];
          at = (column * params.in[1] + row) * params.in[0] + depth;
        }
        static_cast<int64_t*>(params.indices)[i] = base + at;
      }
    }
  }
}

/// The weighted sum over the taps of all axes, the last axis fastest.
template <typename Real>
ORTOOL_DEVICE Real resized_element(const ResizeParams& params, const int64_t* place) {
  int32_t tap[max_axes] = {};
  Real sum = Real(0);
  while (true) {
    Real weight = Real(1);
    int64_t at = 0;
    bool is_inside = true;
    for (int32_t axis = 0; axis < params.sizes.axes; ++axis) {
      const int32_t taps = params.taps[axis];
      const int64_t number = place[axis] * taps + tap[axis];
      const int64_t position = taps == 0 ? place[axis] : params.first[axis][number];
      is_inside = is_inside && position >= 0;
      if (taps != 0) weight *= static_cast<Real>(params.weights[axis][number]);
      at += position * params.strides[axis];
    }
    if (!is_inside) return static_cast<Real>(params.outside);
    if (weight != Real(0)) sum += weight * load<Real>(AnyStore(), params.input, params.type, at);
    int32_t axis = params.sizes.axes - 1;
    while (axis >= 0 && ++tap[axis] >= greatest_of(params.taps[axis], 1)) tap[axis--] = 0;
    if (axis < 0) return sum;
  }
}

template <typename Real>
ORTOOL_DEVICE void resize(const Block& block, const ResizeParams& params) {
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < params.count;
         i += block.blocks() * block.threads()) {
      int64_t place[max_axes] = {};
      int64_t rest = i;
      for (int32_t axis = params.sizes.axes - 1; axis >= 0; --axis) {
        place[axis] = rest % params.sizes.size[axis];
        rest /= params.sizes.size[axis];
      }
      if (params.copies == 0) {
        store(AnyStore(), params.output, params.type, i, resized_element<Real>(params, place));
        continue;
      }
      int64_t at = 0;
      for (int32_t axis = 0; axis < params.sizes.axes; ++axis) {
        const int64_t position =
            params.taps[axis] == 0 ? place[axis] : params.first[axis][place[axis]];
        at = position < 0 || at < 0 ? -1 : at + position * params.strides[axis];
      }
      if (at >= 0) {
        copy_bytes(params.bytes, params.input, at, params.output, i);
      } else {
        store(AnyStore(), params.output, params.type, i, params.outside);
      }
    }
  }
}

/// One thread for each result of a convolution over two axes whose channels, behind the pixels, are
/// groups of their own.
template <typename Storage>
ORTOOL_DEVICE void depthwise_conv(const Block& block, const ConvParams& params) {
  const auto channels = static_cast<uint32_t>(params.groups);
  const int64_t count = params.batch * params.out[1] * params.out[2] * params.groups;
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < count;
         i += block.blocks() * block.threads()) {
      const auto place = static_cast<uint32_t>(i);
      const uint32_t channel = place % channels;
      const uint32_t pixel = place / channels;
      const auto width = static_cast<uint32_t>(params.out[2]);
      const auto height = static_cast<uint32_t>(params.out[1]);
      const int64_t top = pixel / width % height * params.stride[1] - params.pad[1];
      const int64_t left = pixel % width * params.stride[2] - params.pad[2];
      const int64_t image = pixel / width / height * params.in[1] * params.in[2];
      float sum =
          params.bias == nullptr ? 0.0F : load<float>(Storage(), params.bias, params.type, channel);
      for (int64_t a = 0; a < params.kernel[1]; ++a) {
        const int64_t row = top + a * params.dilation[1];
        if (row < 0 || row >= params.in[1]) continue;
        for (int64_t b = 0; b < params.kernel[2]; ++b) {
          const int64_t column = left + b * params.dilation[2];
          if (column < 0 || column >= params.in[2]) continue;
          const int64_t at = (image + row * params.in[2] + column) * params.groups + channel;
          const int64_t weight = (channel * params.kernel[1] + a) * params.kernel[2] + b;
          sum += load<float>(Storage(), params.input, params.type, at) *
                 load<float>(Storage(), params.weights, params.type, weight);
        }
      }
      if (params.has_relu != 0 && sum < 0) sum = 0;
      store(Storage(), params.output, params.type, i, sum);
    }
  }
}

/// One thread for each result of a convolution, transposed or not.
template <typename Real, typename Storage>
ORTOOL_DEVICE void direct_conv(const Block& block, const ConvParams& params) {
  const int64_t plane = params.out[0] * params.out[1] * params.out[2];
  const int64_t in_plane = params.in[0] * params.in[1] * params.in[2];
  const int64_t taps = params.kernel[0] * params.kernel[1] * params.kernel[2];
  const int64_t channels = params.groups * params.out_channels;
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < params.batch * channels * plane;
         i += block.blocks() * block.threads()) {
      const int64_t channel = i / plane % channels;
      const int64_t group = channel / params.out_channels;
      const int64_t place[3] = {i / params.out[2] / params.out[1] % params.out[0],
                                i / params.out[2] % params.out[1], i % params.out[2]};
      const int64_t image =
          (i / plane / channels * params.groups + group) * params.in_channels * in_plane;
      Real sum = params.bias == nullptr ? Real(0)
                                        : load<Real>(Storage(), params.bias, params.type, channel);
      for (int64_t tap = 0; tap < taps; ++tap) {
        const int64_t offset[3] = {tap / params.kernel[2] / params.kernel[1],
                                   tap / params.kernel[2] % params.kernel[1],
                                   tap % params.kernel[2]};
        int64_t at = 0;
        bool is_inside = true;
        for (int axis = 0; axis < 3; ++axis) {
          int64_t position;
          if (params.transposed != 0) {
            const int64_t shifted =
                place[axis] + params.pad[axis] - offset[axis] * params.dilation[axis];
            is_inside = is_inside && shifted % params.stride[axis] == 0;
            position = shifted / params.stride[axis];
          } else {
            position = place[axis] * params.stride[axis] - params.pad[axis] +
                       offset[axis] * params.dilation[axis];
          }
          is_inside = is_inside && position >= 0 && position < params.in[axis];
          at = at * params.in[axis] + position;
        }
        if (!is_inside) continue;
        for (int64_t j = 0; j < params.in_channels; ++j) {
          // Weights are out x in x taps, transposed ones in x out x taps.
          const int64_t weight = params.transposed != 0
                                     ? ((group * params.in_channels + j) * params.out_channels +
                                        channel % params.out_channels) *
                                               taps +
                                           tap
                                     : (channel * params.in_channels + j) * taps + tap;
          sum += load<Real>(Storage(), params.input, params.type, image + j * in_plane + at) *
                 load<Real>(Storage(), params.weights, params.type, weight);
        }
      }
      store(Storage(), params.output, params.type, i, sum);
    }
  }
}

}  // namespace ortool::cuda

// Indexing kernels: gather, scatter, one-hot, top-k, cumulative sums.
#pragma once

#include "providers/cuda/kernels/elementwise.hpp"

namespace ortool::cuda {

ORTOOL_DEVICE int64_t load_index(const void* indices, int32_t type, int64_t at) {
  return type == element_i64 ? static_cast<const int64_t*>(indices)[at]
                             : static_cast<const int32_t*>(indices)[at];
}

ORTOOL_DEVICE void gather(const Block& block, const GatherParams& params) {
  const int64_t count = params.outer * params.index_count * params.inner;
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < count;
         i += block.blocks() * block.threads()) {
      const int64_t inner = i % params.inner;
      const int64_t place = i / params.inner % params.index_count;
      const int64_t outer = i / params.inner / params.index_count;
      int64_t index = load_index(params.indices, params.index_type, place);
      if (index < 0) index += params.axis_size;
      if (index < 0 || index >= params.axis_size) {
        set_flag(params.status, params.status_value);
        continue;
      }
      copy_bytes(params.bytes, params.data,
                 (outer * params.axis_size + index) * params.inner + inner, params.output, i);
    }
  }
}

/// The place in the indexed tensor of element `number` of the indices; -1: out of range.
ORTOOL_DEVICE int64_t indexed_place(const GatherElementsParams& params, int64_t number) {
  int64_t index = load_index(params.indices, params.index_type, number);
  if (index < 0) index += params.axis_size;
  if (index < 0 || index >= params.axis_size) {
    set_flag(params.status, params.status_value);
    return -1;
  }
  int64_t at = 0;
  for (int32_t axis = params.sizes.axes - 1; axis >= 0; --axis) {
    at += (axis == params.axis ? index : number % params.sizes.size[axis]) * params.strides[axis];
    number /= params.sizes.size[axis];
  }
  return at;
}

ORTOOL_DEVICE void gather_elements(const Block& block, const GatherElementsParams& params) {
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < params.count;
         i += block.blocks() * block.threads()) {
      const int64_t at = indexed_place(params, i);
      if (at >= 0) copy_bytes(params.bytes, params.from, at, params.to, i);
    }
  }
}

/// One thread for each line along the axis: of elements that go to one place, the last stays.
ORTOOL_DEVICE void scatter_elements(const Block& block, const GatherElementsParams& params) {
  int64_t inner = 1;
  for (int32_t axis = params.axis + 1; axis < params.sizes.axes; ++axis)
    inner *= params.sizes.size[axis];
  const int64_t size = params.sizes.size[params.axis];
  const int64_t lines = params.count / size;
  ORTOOL_THREADS(block, thread) {
    for (int64_t line = block.index() * block.threads() + thread; line < lines;
         line += block.blocks() * block.threads()) {
      for (int64_t place = 0; place < size; ++place) {
        const int64_t i = (line / inner * size + place) * inner + line % inner;
        const int64_t at = indexed_place(params, i);
        if (at >= 0) copy_bytes(params.bytes, params.from, i, params.to, at);
      }
    }
  }
}

/// Where slice `number` begins in the indexed tensor; -1: an index is out of range.
ORTOOL_DEVICE int64_t indexed_slice(const GatherNdParams& params, int64_t number) {
  int64_t at = number / params.slices_per_batch * params.batch_stride;
  for (int32_t axis = 0; axis < params.indexed.axes; ++axis) {
    int64_t index =
        load_index(params.indices, params.index_type, number * params.indexed.axes + axis);
    if (index < 0) index += params.indexed.size[axis];
    if (index < 0 || index >= params.indexed.size[axis]) {
      set_flag(params.status, params.status_value);
      return -1;
    }
    at += index * params.strides[axis];
  }
  return at;
}

ORTOOL_DEVICE void gather_nd(const Block& block, const GatherNdParams& params) {
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < params.count * params.slice;
         i += block.blocks() * block.threads()) {
      const int64_t at = indexed_slice(params, i / params.slice);
      if (at >= 0) copy_bytes(params.bytes, params.from, at + i % params.slice, params.to, i);
    }
  }
}

/// One thread for each element of a slice: of slices that go to one place, the last stays.
ORTOOL_DEVICE void scatter_nd(const Block& block, const GatherNdParams& params) {
  ORTOOL_THREADS(block, thread) {
    for (int64_t column = block.index() * block.threads() + thread; column < params.slice;
         column += block.blocks() * block.threads()) {
      for (int64_t number = 0; number < params.count; ++number) {
        const int64_t at = indexed_slice(params, number);
        if (at >= 0)
          copy_bytes(params.bytes, params.from, number * params.slice + column, params.to,
                     at + column);
      }
    }
  }
}

ORTOOL_DEVICE void one_hot(const Block& block, const OneHotParams& params) {
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < params.count;
         i += block.blocks() * block.threads()) {
      const int64_t inner = i % params.inner;
      const int64_t place = i / params.inner % params.depth;
      const int64_t outer = i / params.inner / params.depth;
      int64_t index = load<int64_t>(AnyStore(), params.indices, params.index_type,
                                    outer * params.inner + inner);
      if (index < 0 && params.counts_from_end != 0) index += params.depth;
      copy_bytes(params.bytes, params.values, index == place ? 1 : 0, params.output, i);
    }
  }
}

/// The rank of each element among those of its row; one thread for each element.
template <typename Number>
ORTOOL_DEVICE void top_k(const Block& block, const TopKParams& params) {
  const int64_t count = params.rows * params.size;
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < count;
         i += block.blocks() * block.threads()) {
      const int64_t row = i / params.size;
      const int64_t place = i % params.size;
      const int64_t base = row / params.inner * params.size * params.inner + row % params.inner;
      const auto element = [&](int64_t at) {
        return load<Number>(AnyStore(), params.input, params.type, base + at * params.inner);
      };
      const Number own = element(place);
      int64_t rank = 0;
      for (int64_t other = 0; other < params.size && rank < params.k; ++other) {
        const Number x = element(other);
        // NaN is greater than any number.
        const bool is_before = params.largest != 0 ? x > own || (x != x && own == own)
                                                   : x < own || (x == x && own != own);
        const bool is_equal = x == own || (x != x && own != own);
        rank += is_before || (is_equal && other < place) ? 1 : 0;
      }
      if (rank >= params.k) continue;
      const int64_t to =
          row / params.inner * params.k * params.inner + rank * params.inner + row % params.inner;
      if (params.values != nullptr) store(AnyStore(), params.values, params.type, to, own);
      if (params.indices != nullptr) params.indices[to] = place;
    }
  }
}

/// One thread for each line.
template <typename Number>
ORTOOL_DEVICE void cumulative(const Block& block, const CumulativeParams& params) {
  ORTOOL_THREADS(block, thread) {
    for (int64_t line = block.index() * block.threads() + thread; line < params.lines;
         line += block.blocks() * block.threads()) {
      const int64_t base = line / params.inner * params.size * params.inner + line % params.inner;
      Number sum = params.multiplies != 0 ? Number(1) : Number(0);
      for (int64_t step = 0; step < params.size; ++step) {
        const int64_t place = params.reverse != 0 ? params.size - 1 - step : step;
        const int64_t at = base + place * params.inner;
        const Number x = load<Number>(AnyStore(), params.input, params.type, at);
        const Number next = params.multiplies != 0 ? product_of(sum, x) : sum_of(sum, x);
        store(AnyStore(), params.output, params.type, at, params.exclusive != 0 ? sum : next);
        sum = next;
      }
    }
  }
}

ORTOOL_DEVICE int64_t scale_index(const QuantizeParams& params, int64_t index) {
  if (params.has_one_scale != 0) return 0;
  const int64_t place = index / params.inner % params.axis_size;
  if (params.is_blocked == 0) return place;
  const int64_t outer = index / params.inner / params.axis_size;
  return (outer * params.blocks + place / params.block) * params.inner + index % params.inner;
}

ORTOOL_DEVICE float rounded_quotient(float x, float scale, int32_t type) {
  const float quotient = x / scale;
  if (type == element_f16) return float_of_half(half_of_float(quotient));
  return type == element_bf16 ? float_of_bfloat(bfloat_of_float(quotient)) : quotient;
}

ORTOOL_DEVICE void quantize(const Block& block, const QuantizeParams& params) {
  int64_t low = -128;
  int64_t high = 127;
  if (params.output_type == element_u8) {
    low = 0;
    high = 255;
  } else if (params.output_type == element_i16) {
    low = -32768;
    high = 32767;
  } else if (params.output_type == element_u16) {
    low = 0;
    high = 65535;
  }
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < params.count;
         i += block.blocks() * block.threads()) {
      const int64_t at = scale_index(params, i);
      const float scale = load<float>(AnyStore(), params.scale, params.scale_type, at);
      if (is_float8(params.input_type)) {
        const auto* codes = static_cast<const uint8_t*>(params.input);
        float value = float_of_float8(params.input_type, codes[i]);
        if (params.zero_point != nullptr)
          value -= float_of_float8(params.input_type,
                                   static_cast<const uint8_t*>(params.zero_point)[at]);
        store(AnyStore(), params.output, params.output_type, i, value * scale);
        continue;
      }
      if (is_float8(params.output_type)) {
        const float x = load<float>(AnyStore(), params.input, params.input_type, i);
        static_cast<uint8_t*>(params.output)[i] =
            float8_of_float(params.output_type, rounded_quotient(x, scale, params.quotient_type));
        continue;
      }
      if (params.dequantizes != 0) {
        int64_t code = load<int64_t>(AnyStore(), params.input, params.input_type, i);
        if (params.zero_point != nullptr)
          code -= load<int64_t>(AnyStore(), params.zero_point, params.input_type, at);
        store(AnyStore(), params.output, params.output_type, i, static_cast<float>(code) * scale);
        continue;
      }
      const float x = load<float>(AnyStore(), params.input, params.input_type, i);
      const int64_t zero =
          params.zero_point == nullptr
              ? 0
              : load<int64_t>(AnyStore(), params.zero_point, params.output_type, at);
      const float rounded = rintf(rounded_quotient(x, scale, params.quotient_type));
      const float most = 1e9F;
      const float kept = rounded < -most ? -most : rounded > most ? most : rounded;
      const int64_t code = kept != kept ? zero : static_cast<int64_t>(kept) + zero;
      store(AnyStore(), params.output, params.output_type, i,
            code < low    ? low
            : code > high ? high
                          : code);
    }
  }
}

}  // namespace ortool::cuda

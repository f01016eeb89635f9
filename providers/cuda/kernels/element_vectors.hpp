// Elementwise kernels on several adjacent elements at once, for operands of one type that are the
// result's size, single numbers, or channels.
#pragma once

#include "providers/cuda/kernels/elementwise.hpp"
#include "providers/cuda/kernels/matrix_tiles.hpp"

namespace ortool::cuda {

/// Adjacent elements of 16 bytes at an aligned address, as numbers.
template <typename Storage>
struct ElementVector;
template <>
struct ElementVector<FloatStore> {
  static constexpr int width = 4;
  alignas(16) float value[4];
  ORTOOL_DEVICE void load(const void* data, int64_t index) {
    copy_vector(static_cast<const float*>(data) + index, value);
  }
  ORTOOL_DEVICE void store(void* data, int64_t index) const {
    copy_vector(value, static_cast<float*>(data) + index);
  }
};
template <>
struct ElementVector<HalfStore> {
  static constexpr int width = 8;
  alignas(16) float value[8];
  ORTOOL_DEVICE void load(const void* data, int64_t index) {
    alignas(16) uint16_t halves[8];
    copy_vector(static_cast<const uint16_t*>(data) + index, halves);
    ORTOOL_UNROLL
    for (int i = 0; i < width; ++i) value[i] = float_of_half(halves[i]);
  }
  ORTOOL_DEVICE void store(void* data, int64_t index) const {
    alignas(16) uint16_t halves[8];
    ORTOOL_UNROLL
    for (int i = 0; i < width; ++i) halves[i] = half_of_float(value[i]);
    copy_vector(halves, static_cast<uint16_t*>(data) + index);
  }
};

template <typename Storage>
ORTOOL_DEVICE void load_operand(const ElementwiseParams& params, int32_t number, int64_t index,
                                ElementVector<Storage>& to) {
  const ElementOperand& operand = params.operands[number];
  if (operand.addressing == AddressMode::same) {
    to.load(operand.data, index);
  } else if (operand.addressing == AddressMode::channel && operand.inner == 1) {
    to.load(operand.data, channel_index(index, 1, operand.period));
  } else {
    // One number for all of them.
    const float number_of_all =
        load<float>(Storage(), operand.data, operand.type, operand_index(params, operand, index));
    ORTOOL_UNROLL
    for (float& value : to.value) value = number_of_all;
  }
}

template <ElementOp op, typename Storage>
ORTOOL_DEVICE void apply_unary_to(ElementVector<Storage>& x, float a, float b) {
  ORTOOL_UNROLL
  for (float& value : x.value) value = apply_unary(op, value, a, b);
}

template <ElementOp op, typename Storage>
ORTOOL_DEVICE void apply_binary_to(ElementVector<Storage>& x, const ElementVector<Storage>& y) {
  ORTOOL_UNROLL
  for (int i = 0; i < ElementVector<Storage>::width; ++i)
    x.value[i] = apply_binary(op, x.value[i], y.value[i]);
}

/// One element after the other, so that the code of all operations is there once. The loop indexes
/// copies, which leaves the vectors in registers.
template <typename Storage, typename Operation>
ORTOOL_DEVICE void apply_rare(ElementVector<Storage>& x, const ElementVector<Storage>& y,
                              Operation operation) {
  constexpr int width = ElementVector<Storage>::width;
  float first[static_cast<unsigned>(width)];
  float second[static_cast<unsigned>(width)];
  ORTOOL_UNROLL
  for (int i = 0; i < width; ++i) {
    first[i] = x.value[i];
    second[i] = y.value[i];
  }
  ORTOOL_NO_UNROLL
  for (int i = 0; i < width; ++i) first[i] = operation(first[i], second[i]);
  ORTOOL_UNROLL
  for (int i = 0; i < width; ++i) x.value[i] = first[i];
}

/// Frequent operations are chosen once for all elements.
template <typename Storage>
ORTOOL_DEVICE void apply_step(const ElementwiseParams& params, const ElementStep& step,
                              int64_t index, ElementVector<Storage>& x) {
  const auto a = static_cast<float>(step.a);
  const auto b = static_cast<float>(step.b);
  if (step.op < ElementOp::add) {
    switch (step.op) {
      case ElementOp::relu:
        return apply_unary_to<ElementOp::relu>(x, a, b);
      case ElementOp::gelu:
        return apply_unary_to<ElementOp::gelu>(x, a, b);
      case ElementOp::gelu_tanh:
        return apply_unary_to<ElementOp::gelu_tanh>(x, a, b);
      case ElementOp::swish:
        return apply_unary_to<ElementOp::swish>(x, a, b);
      case ElementOp::sigmoid:
        return apply_unary_to<ElementOp::sigmoid>(x, a, b);
      case ElementOp::clip:
        return apply_unary_to<ElementOp::clip>(x, a, b);
      case ElementOp::scale_shift:
        return apply_unary_to<ElementOp::scale_shift>(x, a, b);
      case ElementOp::hard_swish:
        return apply_unary_to<ElementOp::hard_swish>(x, a, b);
      default:
        return apply_rare(x, x,
                          [&](float value, float) { return apply_unary(step.op, value, a, b); });
    }
  }
  ElementVector<Storage> y;
  load_operand(params, step.operand, index, y);
  if (step.op == ElementOp::where) {
    ElementVector<Storage> z;
    load_operand(params, step.second_operand, index, z);
    ORTOOL_UNROLL
    for (int i = 0; i < ElementVector<Storage>::width; ++i)
      x.value[i] = x.value[i] != 0.0F ? y.value[i] : z.value[i];
    return;
  }
  if (step.op == ElementOp::add) return apply_binary_to<ElementOp::add>(x, y);
  if (step.op == ElementOp::mul) return apply_binary_to<ElementOp::mul>(x, y);
  apply_rare(x, y, [&](float first, float second) {
    return step.is_reversed != 0 ? apply_binary(step.op, second, first)
                                 : apply_binary(step.op, first, second);
  });
}

template <typename Storage>
ORTOOL_DEVICE void elementwise_vectors(const Block& block, const ElementwiseParams& params) {
  constexpr int width = ElementVector<Storage>::width;
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = (block.index() * block.threads() + thread) * width; i < params.count;
         i += block.blocks() * block.threads() * width) {
      ElementVector<Storage> x;
      load_operand(params, 0, i, x);
      for (int32_t step = 0; step < params.step_count; ++step)
        apply_step(params, params.steps[step], i, x);
      x.store(params.output, i);
    }
  }
}

/// Vectors of a row that a thread holds; a warp normalizes a row.
constexpr int most_row_vectors = 8;
constexpr int norm_rows_per_block = 8;

/// The sum over a warp's threads, from each one's number in `partial`.
ORTOOL_DEVICE float warp_sum(const float* partial, int thread) {
  float sum = 0;
  const int first = thread / warp_threads * warp_threads;
  for (int i = 0; i < warp_threads; ++i) sum += partial[first + i];
  return sum;
}

/// Normalizes rows of at most most_row_vectors * 32 vectors, held in registers.
template <typename Storage, int vectors>
ORTOOL_DEVICE void normalize_vectors(const Block& block, const NormParams& params) {
  constexpr int width = ElementVector<Storage>::width;
  struct Row {
    ElementVector<Storage> part[static_cast<unsigned>(vectors)];
    float mean;
  };
  ORTOOL_SHARED(float, partial, norm_rows_per_block* warp_threads);
  PerThread<Row, norm_rows_per_block * warp_threads> rows;
  const int64_t groups = (params.rows + norm_rows_per_block - 1) / norm_rows_per_block;
  for (int64_t group = block.index(); group < groups; group += block.blocks()) {
    ORTOOL_THREADS(block, thread) {
      const int64_t row = group * norm_rows_per_block + thread / warp_threads;
      Row& own = rows[thread];
      float sum = 0;
      ORTOOL_UNROLL
      for (int i = 0; i < vectors; ++i) {
        const int64_t column = (thread % warp_threads + i * warp_threads) * width;
        if (row >= params.rows || column >= params.size) continue;
        const int64_t at = row * params.size + column;
        own.part[i].load(params.input, at);
        if (params.skip != nullptr) {
          ElementVector<Storage> skip;
          skip.load(params.skip, at);
          apply_binary_to<ElementOp::add>(own.part[i], skip);
        }
        if (params.sum != nullptr) own.part[i].store(params.sum, at);
        ORTOOL_UNROLL
        for (const float value : own.part[i].value) sum += value;
      }
      partial[thread] = sum;
    }
    ORTOOL_THREADS(block, thread) {
      rows[thread].mean = params.subtracts_mean != 0
                              ? warp_sum(partial, thread) / static_cast<float>(params.size)
                              : 0.0F;
    }
    ORTOOL_THREADS(block, thread) {
      const int64_t row = group * norm_rows_per_block + thread / warp_threads;
      Row& own = rows[thread];
      float sum = 0;
      ORTOOL_UNROLL
      for (int i = 0; i < vectors; ++i) {
        const int64_t column = (thread % warp_threads + i * warp_threads) * width;
        if (row >= params.rows || column >= params.size) continue;
        ORTOOL_UNROLL
        for (const float value : own.part[i].value) {
          const float x = value - own.mean;
          sum += x * x;
        }
      }
      partial[thread] = sum;
    }
    ORTOOL_THREADS(block, thread) {
      const int64_t row = group * norm_rows_per_block + thread / warp_threads;
      Row& own = rows[thread];
      const float variance = warp_sum(partial, thread) / static_cast<float>(params.size);
      const float factor = params.divides != 0 ? 1.0F / of_sqrt(variance + params.epsilon) : 1.0F;
      ORTOOL_UNROLL
      for (int i = 0; i < vectors; ++i) {
        const int64_t column = (thread % warp_threads + i * warp_threads) * width;
        if (row >= params.rows || column >= params.size) continue;
        ElementVector<Storage>& y = own.part[i];
        ORTOOL_UNROLL
        for (float& value : y.value) value = (value - own.mean) * factor;
        ElementVector<Storage> scale;
        if (params.scale != nullptr) {
          scale.load(params.scale, column);
          apply_binary_to<ElementOp::mul>(y, scale);
        }
        if (params.bias != nullptr) {
          scale.load(params.bias, column);
          apply_binary_to<ElementOp::add>(y, scale);
        }
        y.store(params.output, row * params.size + column);
      }
    }
  }
}

}  // namespace ortool::cuda

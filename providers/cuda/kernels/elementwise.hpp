// Elementwise kernels: chains of operations on broadcast operands, copies, pads, fills.
#pragma once

#include "providers/cuda/kernels/element_math.hpp"

namespace ortool::cuda {

/// The index of the element for result `index`.
ORTOOL_DEVICE int64_t strided_index(const LoopSizes& sizes, const int64_t* strides, int64_t index) {
  int64_t result = 0;
  int32_t axis = sizes.axes - 1;
  for (; axis >= 0 && index > UINT32_MAX; --axis) {
    result += index % sizes.size[axis] * strides[axis];
    index /= sizes.size[axis];
  }
  // Divisions of 32 bits take a fraction of the time.
  auto rest = static_cast<uint32_t>(index);
  for (; axis >= 0; --axis) {
    if (rest < sizes.size[axis]) return result + rest * strides[axis];
    const auto size = static_cast<uint32_t>(sizes.size[axis]);
    result += rest % size * strides[axis];
    rest /= size;
  }
  return result;
}

ORTOOL_DEVICE int64_t channel_index(int64_t index, int64_t inner, int64_t period) {
  if (index > UINT32_MAX || inner > UINT32_MAX || period > UINT32_MAX)
    return index / inner % period;
  return static_cast<uint32_t>(index) / static_cast<uint32_t>(inner) %
         static_cast<uint32_t>(period);
}

ORTOOL_DEVICE int64_t operand_index(const ElementwiseParams& params, const ElementOperand& operand,
                                    int64_t index) {
  switch (operand.addressing) {
    case AddressMode::same:
      return index;
    case AddressMode::scalar:
      return 0;
    case AddressMode::channel:
      return channel_index(index, operand.inner, operand.period);
    default:
      return strided_index(params.sizes, operand.strides, index);
  }
}

template <typename Number, typename Storage>
ORTOOL_DEVICE Number chain_operand(const ElementwiseParams& params, int32_t number, int64_t index) {
  const ElementOperand& operand = params.operands[number];
  return load<Number>(Storage(), operand.data, operand.type, operand_index(params, operand, index));
}

template <typename Number, typename Storage>
ORTOOL_DEVICE Number run_chain(const ElementwiseParams& params, int64_t index) {
  Number x = chain_operand<Number, Storage>(params, 0, index);
  for (int32_t i = 0; i < params.step_count; ++i) {
    const ElementStep& step = params.steps[i];
    if (step.op < ElementOp::add) {
      x = apply_unary(step.op, x, static_cast<Number>(step.a), static_cast<Number>(step.b));
    } else if (step.op < ElementOp::where) {
      const Number y = chain_operand<Number, Storage>(params, step.operand, index);
      x = step.is_reversed != 0 ? apply_binary(step.op, y, x) : apply_binary(step.op, x, y);
    } else {
      x = chain_operand<Number, Storage>(
          params, x != Number(0) ? step.operand : step.second_operand, index);
    }
  }
  return x;
}

template <typename Number, typename Storage>
ORTOOL_DEVICE void elementwise(const Block& block, const ElementwiseParams& params) {
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < params.count;
         i += block.blocks() * block.threads()) {
      store(Storage(), params.output, params.output_type, i, run_chain<Number, Storage>(params, i));
    }
  }
}

template <typename Element>
ORTOOL_DEVICE void copy_element(const void* from, int64_t from_index, void* to, int64_t to_index) {
  static_cast<Element*>(to)[to_index] = static_cast<const Element*>(from)[from_index];
}

ORTOOL_DEVICE void copy_bytes(int32_t bytes, const void* from, int64_t from_index, void* to,
                              int64_t to_index) {
  switch (bytes) {
    case 1:
      copy_element<uint8_t>(from, from_index, to, to_index);
      break;
    case 2:
      copy_element<uint16_t>(from, from_index, to, to_index);
      break;
    case 4:
      copy_element<uint32_t>(from, from_index, to, to_index);
      break;
    default:
      copy_element<uint64_t>(from, from_index, to, to_index);
      break;
  }
}

ORTOOL_DEVICE void copy_strided(const Block& block, const CopyParams& params) {
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < params.count;
         i += block.blocks() * block.threads()) {
      copy_bytes(params.bytes, params.from, strided_index(params.sizes, params.from_strides, i),
                 params.to, strided_index(params.sizes, params.to_strides, i));
    }
  }
}

/// The position before padding along one axis; -1: in the padding.
ORTOOL_DEVICE int64_t unpadded(PadKind kind, int64_t position, int64_t size) {
  if (position >= 0 && position < size) return position;
  switch (kind) {
    case PadKind::constant:
      return -1;
    case PadKind::edge:
      return position < 0 ? 0 : size - 1;
    case PadKind::wrap: {
      const int64_t rest = position % size;
      return rest < 0 ? rest + size : rest;
    }
    default: {
      if (size == 1) return 0;
      const int64_t period = 2 * (size - 1);
      int64_t rest = position % period;
      if (rest < 0) rest += period;
      return rest < size ? rest : period - rest;
    }
  }
}

ORTOOL_DEVICE void pad(const Block& block, const PadParams& params) {
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < params.count;
         i += block.blocks() * block.threads()) {
      int64_t rest = i;
      int64_t from = 0;
      int64_t stride = 1;
      bool is_inside = true;
      for (int32_t axis = params.sizes.axes - 1; axis >= 0; --axis) {
        const int64_t place = rest % params.sizes.size[axis] - params.begins[axis];
        rest /= params.sizes.size[axis];
        const int64_t position = unpadded(params.kind, place, params.from_sizes[axis]);
        is_inside = is_inside && position >= 0;
        from += position * stride;
        stride *= params.from_sizes[axis];
      }
      if (is_inside) {
        copy_bytes(params.bytes, params.from, from, params.to, i);
      } else if (params.value != nullptr) {
        copy_bytes(params.bytes, params.value, 0, params.to, i);
      } else {
        const uint64_t zero = 0;
        copy_bytes(params.bytes, &zero, 0, params.to, i);
      }
    }
  }
}

ORTOOL_DEVICE void fill(const Block& block, const FillParams& params) {
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < params.count;
         i += block.blocks() * block.threads()) {
      copy_bytes(params.bytes, &params.value, 0, params.to, i);
    }
  }
}

ORTOOL_DEVICE void range(const Block& block, const RangeParams& params) {
  const bool is_real = params.type == element_f32 || params.type == element_f64 ||
                       params.type == element_f16 || params.type == element_bf16;
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < params.count;
         i += block.blocks() * block.threads()) {
      if (is_real) {
        store(AnyStore(), params.output, params.type, i,
              params.start + static_cast<double>(i) * params.step);
      } else {
        store(AnyStore(), params.output, params.type, i,
              params.integer_start + i * params.integer_step);
      }
    }
  }
}

ORTOOL_DEVICE void trilu(const Block& block, const TriluParams& params) {
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < params.count;
         i += block.blocks() * block.threads()) {
      const int64_t column = i % params.columns;
      const int64_t row = i / params.columns % params.rows;
      const int64_t distance = column - row;
      const bool stays =
          params.upper != 0 ? distance >= params.diagonal : distance <= params.diagonal;
      if (stays) {
        copy_bytes(params.bytes, params.from, i, params.to, i);
      } else {
        const uint64_t zero = 0;
        copy_bytes(params.bytes, &zero, 0, params.to, i);
      }
    }
  }
}

}  // namespace ortool::cuda

// Recurrent kernels: LSTM, GRU and RNN, all steps of a sequence in a block, or one step of all
// sequences behind its product.
#pragma once

#include "providers/cuda/kernels/element_math.hpp"
#include "providers/cuda/kernels/recurrent_params.hpp"

namespace ortool::cuda {

/// Storage in 16 bits of either kind, and in 64.
struct ShortStore {};
struct DoubleStore {};

template <typename Number>
ORTOOL_DEVICE Number load(ShortStore, const void* data, int32_t type, int64_t index) {
  const uint16_t bits = static_cast<const uint16_t*>(data)[index];
  return static_cast<Number>(type == element_f16 ? float_of_half(bits) : float_of_bfloat(bits));
}
template <typename Number>
ORTOOL_DEVICE void store(ShortStore, void* data, int32_t type, int64_t index, Number value) {
  const auto number = static_cast<float>(value);
  static_cast<uint16_t*>(data)[index] =
      type == element_f16 ? half_of_float(number) : bfloat_of_float(number);
}
template <typename Number>
ORTOOL_DEVICE Number load(DoubleStore, const void* data, int32_t, int64_t index) {
  return load_as<Number, double>(data, index);
}
template <typename Number>
ORTOOL_DEVICE void store(DoubleStore, void* data, int32_t, int64_t index, Number value) {
  static_cast<double*>(data)[index] = static_cast<double>(value);
}

/// A sequence in a direction: its length, and where its elements are.
struct SequencePlace {
  int64_t direction;
  int64_t row;  ///< of the batch
  int64_t length;
  bool is_backward;

  /// The position that step `step` < length computes.
  ORTOOL_DEVICE int64_t position(int64_t step) const {
    return is_backward ? length - 1 - step : step;
  }
};

ORTOOL_DEVICE SequencePlace sequence_place(const RecurrentParams& params, int64_t direction,
                                           int64_t row) {
  int64_t length = params.sequence;
  if (params.lengths != nullptr) {
    const int64_t given = params.lengths[row];
    if (given < 0 || given > params.sequence) set_flag(params.status, params.status_value);
    length = given < 0 ? 0 : least_of(given, params.sequence);
  }
  return {direction, row, length, direction == 1 || params.is_reverse != 0};
}

/// The index of the first gate of a position in `inputs`.
ORTOOL_DEVICE int64_t input_index(const RecurrentParams& params, const SequencePlace& place,
                                  int64_t position) {
  const int64_t row = params.batch_first != 0 ? place.row * params.sequence + position
                                              : position * params.batch + place.row;
  return (place.direction * params.sequence * params.batch + row) * params.gates * params.hidden;
}

/// The index of element 0 in Y.
ORTOOL_DEVICE int64_t output_index(const RecurrentParams& params, const SequencePlace& place,
                                   int64_t position) {
  const int64_t row =
      params.batch_first != 0
          ? (place.row * params.sequence + position) * params.directions + place.direction
          : (position * params.directions + place.direction) * params.batch + place.row;
  return row * params.hidden;
}

/// The index of element 0 in initial_h, Y_h and the like.
ORTOOL_DEVICE int64_t state_index(const RecurrentParams& params, const SequencePlace& place) {
  const int64_t row = params.batch_first != 0 ? place.row * params.directions + place.direction
                                              : place.direction * params.batch + place.row;
  return row * params.hidden;
}

template <typename Real>
ORTOOL_DEVICE_CALL Real gate_of(GateFunction function, Real x) {
  const auto a = static_cast<Real>(function.a);
  const auto b = static_cast<Real>(function.b);
  x *= static_cast<Real>(function.input_factor);
  const auto factor = static_cast<Real>(function.output_factor);
  switch (function.op) {
    case ElementOp::sigmoid:
      return factor * sigmoid_of(x);
    case ElementOp::relu:
      return factor * (x < Real(0) ? Real(0) : x);
    case ElementOp::scale_shift:
      return factor * (x * a + b);
    case ElementOp::elu:
      return factor * (x < Real(0) ? a * of_expm1(x) : x);
    case ElementOp::hard_sigmoid:
      return factor * clamp_of(a * x + b, Real(0), Real(1));
    case ElementOp::leaky_relu:
      return factor * (x < Real(0) ? a * x : x);
    case ElementOp::softplus:
      return factor * softplus_of(x);
    case ElementOp::softsign:
      return factor * (x / (Real(1) + (x < Real(0) ? -x : x)));
    case ElementOp::thresholded_relu:
      return factor * (x > a ? x : Real(0));
    default:
      return factor * of_tanh(x);
  }
}

/// Function `number` of a direction, of a sum that may be clipped.
template <typename Real>
ORTOOL_DEVICE Real clipped_gate(const RecurrentParams& params, int64_t direction, int32_t number,
                                Real sum) {
  if (params.has_clip != 0)
    sum = clip_of(sum, -static_cast<Real>(params.clip), static_cast<Real>(params.clip));
  const int64_t functions = params.cell == RecurrentCell::lstm  ? 3
                            : params.cell == RecurrentCell::gru ? 2
                                                                : 1;
  return gate_of(params.functions[direction * functions + number], sum);
}

/// The bias of a gate's element: that of W, or that of R.
template <typename Real, typename Storage>
ORTOOL_DEVICE Real gate_bias(const RecurrentParams& params, int64_t direction, bool is_of_state,
                             int64_t gate, int64_t element) {
  if (params.bias == nullptr) return Real(0);
  const int64_t row = (direction * 2 + (is_of_state ? 1 : 0)) * params.gates + gate;
  return load<Real>(Storage(), params.bias, params.type, row * params.hidden + element);
}

/// x * W, and both biases if `has_biases`, of a gate's element at a position.
template <typename Real, typename Storage>
ORTOOL_DEVICE Real input_sum(const RecurrentParams& params, const SequencePlace& place,
                             int64_t position, int64_t gate, int64_t element) {
  const int64_t at = input_index(params, place, position) + gate * params.hidden + element;
  return load<Real>(Storage(), params.inputs, params.type, at) +
         gate_bias<Real, Storage>(params, place.direction, false, gate, element);
}

/// An element of an LSTM after a step: `sums` are those of the gates i o f c; `c` is replaced.
template <typename Real, typename Storage>
ORTOOL_DEVICE Real lstm_element(const RecurrentParams& params, int64_t direction, int64_t element,
                                const Real (&sums)[max_gates], Real& c) {
  const auto peephole = [&](int64_t gate) {
    if (params.peepholes == nullptr) return Real(0);
    return load<Real>(Storage(), params.peepholes, params.type,
                      (direction * 3 + gate) * params.hidden + element);
  };
  const Real in = clipped_gate(params, direction, 0, sums[0] + peephole(0) * c);
  const Real forget = params.couples_gates != 0
                          ? Real(1) - in
                          : clipped_gate(params, direction, 0, sums[2] + peephole(2) * c);
  c = forget * c + in * clipped_gate(params, direction, 1, sums[3]);
  const Real out = clipped_gate(params, direction, 0, sums[1] + peephole(1) * c);
  return out * gate_of(params.functions[direction * 3 + 2], c);
}

/// An element of a GRU after a step, from the update gate and the sums of the hidden gate.
template <typename Real>
ORTOOL_DEVICE Real gru_element(const RecurrentParams& params, int64_t direction, Real update,
                               Real sum, Real h) {
  return (Real(1) - update) * clipped_gate(params, direction, 1, sum) + update * h;
}

/// Writes an element of Y at a position, and of the final states behind the last step.
template <typename Real, typename Storage>
ORTOOL_DEVICE void store_state(const RecurrentParams& params, const SequencePlace& place,
                               int64_t step, int64_t element, Real h, Real c) {
  if (params.y != nullptr)
    store(Storage(), params.y, params.type,
          output_index(params, place, place.position(step)) + element, h);
  if (step + 1 != place.length) return;
  const int64_t at = state_index(params, place) + element;
  if (params.y_h != nullptr) store(Storage(), params.y_h, params.type, at, h);
  if (params.y_c != nullptr) store(Storage(), params.y_c, params.type, at, c);
}

/// Zeros behind a sequence, at position `step`; and its states, if it has no steps.
template <typename Real, typename Storage>
ORTOOL_DEVICE void store_end(const RecurrentParams& params, const SequencePlace& place,
                             int64_t step, int64_t element) {
  if (params.y != nullptr)
    store(Storage(), params.y, params.type, output_index(params, place, step) + element, Real(0));
  if (step != 0) return;
  const int64_t at = state_index(params, place) + element;
  if (params.y_h != nullptr) store(Storage(), params.y_h, params.type, at, Real(0));
  if (params.y_c != nullptr) store(Storage(), params.y_c, params.type, at, Real(0));
}

/// A state at the start.
template <typename Real, typename Storage>
ORTOOL_DEVICE Real first_state(const RecurrentParams& params, const SequencePlace& place,
                               const void* initial, int64_t element) {
  if (initial == nullptr) return Real(0);
  return load<Real>(Storage(), initial, params.type, state_index(params, place) + element);
}

/// Adds element `element` of `state` * R^T, and the bias of R, to the sums of the gates [first,
/// end).
template <typename Real, typename Storage>
ORTOOL_DEVICE void state_sums(const RecurrentParams& params, int64_t direction, const Real* state,
                              int64_t first, int64_t end, int64_t element,
                              Real (&sums)[max_gates]) {
  const int64_t columns = params.gates * params.hidden;
  // Loops over all gates are unrolled, which keeps the sums in registers.
  for (int64_t k = 0; k < params.hidden; ++k) {
    const int64_t row = (direction * params.hidden + k) * columns + element;
    for (int gate = 0; gate < max_gates; ++gate) {
      if (gate < first || gate >= end) continue;
      sums[gate] +=
          state[k] * load<Real>(Storage(), params.factors, params.type, row + gate * params.hidden);
    }
  }
  for (int gate = 0; gate < max_gates; ++gate) {
    if (gate < first || gate >= end) continue;
    sums[gate] += gate_bias<Real, Storage>(params, direction, true, gate, element);
  }
}

/// All steps of one sequence in one direction a block, one thread for each element of the state.
template <typename Real, typename Storage>
ORTOOL_DEVICE void recurrent_steps(const Block& block, const RecurrentParams& params) {
  ORTOOL_SHARED(Real, h, max_step_state);
  ORTOOL_SHARED(Real, reset_h, max_step_state);
  for (int64_t which = block.index(); which < params.directions * params.batch;
       which += block.blocks()) {
    const SequencePlace place = sequence_place(params, which / params.batch, which % params.batch);
    const int64_t direction = place.direction;
    PerThread<Real, max_step_state> c;
    PerThread<Real, max_step_state> next;
    PerThread<Real, max_step_state> update;
    ORTOOL_THREADS(block, thread) {
      if (thread < params.hidden) {
        h[thread] = first_state<Real, Storage>(params, place, params.initial_h, thread);
        c[thread] = first_state<Real, Storage>(params, place, params.initial_c, thread);
        for (int64_t step = place.length; step < params.sequence; ++step)
          store_end<Real, Storage>(params, place, step, thread);
      }
    }
    for (int64_t step = 0; step < place.length; ++step) {
      const int64_t position = place.position(step);
      const bool resets_first =
          params.cell == RecurrentCell::gru && params.linear_before_reset == 0;
      ORTOOL_THREADS(block, thread) {
        if (thread < params.hidden) {
          Real sums[max_gates] = {};
          const int64_t gates = resets_first ? 2 : params.gates;
          state_sums<Real, Storage>(params, direction, h, 0, gates, thread, sums);
          const auto total = [&](int64_t gate) {
            return input_sum<Real, Storage>(params, place, position, gate, thread) + sums[gate];
          };
          if (params.cell == RecurrentCell::lstm) {
            const Real whole[max_gates] = {total(0), total(1), total(2), total(3)};
            next[thread] = lstm_element<Real, Storage>(params, direction, thread, whole, c[thread]);
          } else if (params.cell == RecurrentCell::rnn) {
            next[thread] = clipped_gate(params, direction, 0, total(0));
          } else {
            update[thread] = clipped_gate(params, direction, 0, total(0));
            const Real reset = clipped_gate(params, direction, 0, total(1));
            reset_h[thread] = reset * h[thread];
            if (!resets_first) {
              const Real sum =
                  input_sum<Real, Storage>(params, place, position, 2, thread) + reset * sums[2];
              next[thread] = gru_element(params, direction, update[thread], sum, h[thread]);
            }
          }
        }
      }
      ORTOOL_THREADS(block, thread) {
        if (thread < params.hidden && resets_first) {
          Real sums[max_gates] = {};
          state_sums<Real, Storage>(params, direction, reset_h, 2, 3, thread, sums);
          const Real sum = input_sum<Real, Storage>(params, place, position, 2, thread) + sums[2];
          next[thread] = gru_element(params, direction, update[thread], sum, h[thread]);
        }
      }
      ORTOOL_THREADS(block, thread) {
        if (thread < params.hidden) {
          h[thread] = next[thread];
          store_state<Real, Storage>(params, place, step, thread, next[thread], c[thread]);
        }
      }
    }
  }
}

/// One step of all sequences, one thread for each element of the states.
template <typename Real, typename Storage>
ORTOOL_DEVICE void recurrent_cell(const Block& block, const RecurrentParams& params) {
  const int64_t count = params.directions * params.batch * params.hidden;
  const bool resets_first = params.cell == RecurrentCell::gru && params.linear_before_reset == 0;
  const int64_t product_gates = resets_first ? 2 : params.gates;
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < count;
         i += block.blocks() * block.threads()) {
      const int64_t element = i % params.hidden;
      const int64_t sequence = i / params.hidden;
      const SequencePlace place =
          sequence_place(params, sequence / params.batch, sequence % params.batch);
      const int64_t direction = place.direction;
      if (params.step >= place.length) {
        if (params.reset_h != nullptr) {
          store(Storage(), params.reset_h, params.type, i, Real(0));
        } else {
          store_end<Real, Storage>(params, place, params.step, element);
        }
        continue;
      }
      const int64_t position = place.position(params.step);
      const auto product = [&](int64_t gate) {
        const int64_t at = (sequence * product_gates + gate) * params.hidden + element;
        return load<Real>(Storage(), params.products, params.type, at) +
               gate_bias<Real, Storage>(params, direction, true, gate, element);
      };
      const auto input = [&](int64_t gate) {
        return input_sum<Real, Storage>(params, place, position, gate, element);
      };
      const Real h = load<Real>(Storage(), params.h, params.type, i);
      Real c = params.c != nullptr ? static_cast<const Real*>(params.c)[i] : Real(0);
      Real next = Real(0);
      if (params.cell == RecurrentCell::lstm) {
        const Real sums[max_gates] = {input(0) + product(0), input(1) + product(1),
                                      input(2) + product(2), input(3) + product(3)};
        next = lstm_element<Real, Storage>(params, direction, element, sums, c);
        static_cast<Real*>(params.c)[i] = c;
      } else if (params.cell == RecurrentCell::rnn) {
        next = clipped_gate(params, direction, 0, input(0) + product(0));
      } else {
        const Real reset = clipped_gate(params, direction, 0, input(1) + product(1));
        if (params.reset_h != nullptr) {
          store(Storage(), params.reset_h, params.type, i, reset * h);
          continue;
        }
        const Real update = clipped_gate(params, direction, 0, input(0) + product(0));
        const Real of_state =
            resets_first ? load<Real>(Storage(), params.late_products, params.type, i) +
                               gate_bias<Real, Storage>(params, direction, true, 2, element)
                         : reset * product(2);
        next = gru_element(params, direction, update, input(2) + of_state, h);
      }
      store(Storage(), params.h, params.type, i, next);
      store_state<Real, Storage>(params, place, params.step, element, next, c);
    }
  }
}

/// States before the first step.
template <typename Real, typename Storage>
ORTOOL_DEVICE void recurrent_start(const Block& block, const RecurrentParams& params) {
  const int64_t count = params.directions * params.batch * params.hidden;
  ORTOOL_THREADS(block, thread) {
    for (int64_t i = block.index() * block.threads() + thread; i < count;
         i += block.blocks() * block.threads()) {
      const int64_t sequence = i / params.hidden;
      const SequencePlace place =
          sequence_place(params, sequence / params.batch, sequence % params.batch);
      const int64_t element = i % params.hidden;
      store(Storage(), params.h, params.type, i,
            first_state<Real, Storage>(params, place, params.initial_h, element));
      if (params.c != nullptr)
        static_cast<Real*>(params.c)[i] =
            first_state<Real, Storage>(params, place, params.initial_c, element);
    }
  }
}

}  // namespace ortool::cuda

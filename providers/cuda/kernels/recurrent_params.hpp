// Parameters of the kernels of recurrent layers: LSTM, GRU and RNN.
#pragma once

#include <stdint.h>

#include "providers/cuda/kernels/element_params.hpp"

namespace ortool::cuda {

/// The greatest state for which one kernel runs all steps: a thread for each element.
constexpr int64_t max_step_state = 256;
constexpr int32_t max_gates = 4;

enum class RecurrentCell : int32_t { rnn, gru, lstm };

/// y = output_factor * op(input_factor * x).
struct GateFunction {
  ElementOp op = ElementOp::tanh;
  float a = 0;
  float b = 0;
  float input_factor = 1;
  float output_factor = 1;
};

/// Gates are in ONNX's order: z r h of a GRU, i o f c of an LSTM.
struct RecurrentParams {
  // Of the whole sequence.
  const void* inputs;      ///< X * W^T: direction, row of X, gate and element
  const void* bias;        ///< direction, of W and of R, gate and element; may be null
  const int32_t* lengths;  ///< of each sequence; may be null: all steps
  const void* initial_h;   ///< may be null: zeros
  const void* initial_c;   ///< may be null: zeros
  const void* peepholes;   ///< direction, i o f, element; may be null
  void* y;                 ///< may be null
  void* y_h;               ///< may be null
  void* y_c;               ///< may be null
  const void* factors;     ///< recurrent_steps: R^T, by direction, element and gate
  // Of one step, for recurrent_cell; states are by direction, batch and element.
  const void* products;       ///< h * R^T, of a GRU that resets first without its last gate
  const void* late_products;  ///< of such a GRU: (r * h) * R^T of its last gate
  void* reset_h;  ///< of such a GRU: r * h, written in place of the new state; else null
  void* h;
  void* c;  ///< in the type of arithmetic
  int32_t* status;
  int32_t status_value;
  int32_t type;
  RecurrentCell cell;
  int32_t gates;
  int32_t directions;
  int32_t is_reverse;  ///< the first direction runs backward
  int32_t batch_first;
  int32_t linear_before_reset;
  int32_t couples_gates;
  int32_t has_clip;
  float clip;
  GateFunction functions[6];  ///< f, g and h of each direction
  int64_t sequence;
  int64_t batch;
  int64_t hidden;
  int64_t step;
};

}  // namespace ortool::cuda

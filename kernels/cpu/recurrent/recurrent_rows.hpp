// The steps of recurrent cells with their usual functions, one set an instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// One step of one sequence of the batch. Gates lie one behind the other, `hidden` floats each.
struct RecurrentRow {
  const float* x;     ///< the input's part of the gates, biases included
  float* gates;       ///< the state's part of the gates
  float* h;           ///< the hidden state; GRUs and LSTMs update it
  float* c;           ///< LSTM: the cell, updated
  float* reset;       ///< GRU: receives r h
  const float* bias;  ///< GRU that is linear before its reset: of the state's hidden gate, or null
  int64_t hidden;
};

/// lstm: the whole step with sigmoid, tanh, tanh. gru_gates: z and r by sigmoid, into `gates`, and
/// r h into `reset`. gru_state: the hidden gate by tanh and the new state; `linear`: r is applied
/// to the state's part.
struct RecurrentFunctions {
  void (*lstm)(const RecurrentRow& row);
  void (*gru_gates)(const RecurrentRow& row);
  void (*gru_state)(const RecurrentRow& row, bool linear);
};

ORTOOL_ISA_KERNEL(RecurrentFunctions, recurrent_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu

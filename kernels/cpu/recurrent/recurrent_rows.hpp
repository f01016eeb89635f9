// Recurrent cell loops with the default activations, one table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// One step of one sequence of the batch. Gates are consecutive, `hidden` floats each.
struct RecurrentRow {
  const float* x;     ///< input contribution to the gates, including biases
  float* gates;       ///< state contribution to the gates
  float* h;           ///< the hidden state; updated by GRU and LSTM
  float* c;           ///< LSTM: the cell state, updated
  float* reset;       ///< GRU: receives r h
  const float* bias;  ///< GRU with linear_before_reset: recurrent bias of the hidden gate, or null
  int64_t hidden;
};

/// lstm: the whole step with sigmoid, tanh, tanh. gru_gates: z and r by sigmoid, into `gates`, and
/// r h into `reset`. gru_state: the hidden gate by tanh and the new state; with `linear`, r is
/// applied to the state's contribution.
struct RecurrentFunctions {
  void (*lstm)(const RecurrentRow& row);
  void (*gru_gates)(const RecurrentRow& row);
  void (*gru_state)(const RecurrentRow& row, bool linear);
};

ORTOOL_ISA_KERNEL(RecurrentFunctions, recurrent_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu

// Reproducible LSTM step: bit-identical on all instruction sets.
#pragma once

#include "kernels/cpu/isa/isa_kernel.hpp"
#include "kernels/cpu/recurrent/recurrent_rows.hpp"

namespace ortool::cpu {

/// RecurrentFunctions::lstm without fused multiply-adds.
using LstmStepFunction = void (*)(const RecurrentRow& row);

ORTOOL_ISA_KERNEL(LstmStepFunction, reproducible_lstm, baseline, avx2, avx512)

}  // namespace ortool::cpu

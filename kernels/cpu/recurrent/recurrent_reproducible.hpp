// LSTM steps that are reproducible: the same bits with every instruction set.
#pragma once

#include "kernels/cpu/isa/isa_kernel.hpp"
#include "kernels/cpu/recurrent/recurrent_rows.hpp"

namespace ortool::cpu {

/// RecurrentFunctions::lstm without fused multiplications and additions.
using LstmStepFunction = void (*)(const RecurrentRow& row);

ORTOOL_ISA_KERNEL(LstmStepFunction, reproducible_lstm, baseline, avx2, avx512)

}  // namespace ortool::cpu

// Attention row kernels (softmax, softcap, scaling), one table per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// `weights` is a softmax in place: e^(s + bias - max) / (Σ + e^(sink - max)); `bias` may be null,
/// and a sink of -inf adds nothing. Scores that are all -inf give zeros; any NaN makes the whole
/// row NaN. `cap`: s = cap · tanh(s / cap). `scale`: out = in · factor, and never -0.
struct AttentionRowFunctions {
  void (*weights)(float* scores, const float* bias, int64_t count, float sink);
  void (*cap)(float* scores, int64_t count, float cap);
  void (*scale)(const float* in, float* out, int64_t count, float factor);
};

ORTOOL_ISA_KERNEL(AttentionRowFunctions, attention_row_functions, baseline, avx2, avx512)

}  // namespace ortool::cpu

// Linear attention: one step on some columns of a state, one kernel per instruction set.
#pragma once

#include <stdint.h>

#include "kernels/cpu/isa/isa_kernel.hpp"

namespace ortool::cpu {

/// A step of one head; the state is key_size × columns with a row stride of `stride` floats.
struct LinearStep {
  float* state;
  int64_t stride;
  int64_t key_size;
  int64_t columns;
  const float* key;
  const float* value;  ///< columns
  const float* decay;  ///< factors of the state's rows; null: no decay
  int64_t decay_step;  ///< 1, or 0 for one factor for all rows
  int32_t has_beta;    ///< 1: delta rule, subtract what the state predicts for the key
  float beta;
  const float* query;    ///< of the first query head that shares the state
  int64_t query_stride;  ///< to the next query head
  int64_t queries;
  float scale;
  float* out;  ///< queries × columns
  int64_t out_stride;
};

/// S = decay · S; v = beta (v - Sᵀ k); S += k ⊗ v; out = scale · Sᵀ q.
using LinearStepFunction = void (*)(const LinearStep& step);

ORTOOL_ISA_KERNEL(LinearStepFunction, linear_step_function, baseline, avx2, avx512)

}  // namespace ortool::cpu

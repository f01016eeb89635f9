// The loops of attention over a row of scores, one set an instruction set.
#pragma once

#include <stdint.h>

namespace ortool::cpu {

namespace baseline {
/// Turns scores into weights that sum to one: e^(s + bias - max) / Σ; `bias` may be null. Scores
/// that are all -inf give zeros, NaN among them gives NaN throughout.
void attention_weights(float* scores, const float* bias, int64_t count);
/// s = cap · tanh(s / cap).
void cap_scores(float* scores, int64_t count, float cap);
}  // namespace baseline
namespace avx2 {
void attention_weights(float* scores, const float* bias, int64_t count);
void cap_scores(float* scores, int64_t count, float cap);
}  // namespace avx2
namespace avx512 {
void attention_weights(float* scores, const float* bias, int64_t count);
void cap_scores(float* scores, int64_t count, float cap);
}  // namespace avx512

}  // namespace ortool::cpu

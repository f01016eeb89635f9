// Attention head preparation, one token at a time.
#include "kernels/cpu/attention/head_rows.hpp"

#include <algorithm>

#include "kernels/cpu/attention/rotary_rows.hpp"
#include "kernels/cpu/normalization/normalize.hpp"

namespace ortool::cpu {

void prepare_heads(const HeadSizes& sizes, const HeadRows<const float*>& in, const HeadSteps& steps,
                   float* out, Workers& workers, Isa isa) {
  const RotaryFunctions& functions = rotary_functions(isa);
  const auto rotate = steps.is_interleaved ? functions.interleaved : functions.halves;
  const auto one_token = [&](std::int64_t token, Workers& alone) {
    const std::int64_t batch = token / sizes.length;
    float* to = out + token * sizes.heads * sizes.size;
    for (std::int64_t head = 0; head < sizes.heads; ++head) {
      const float* from = in.at(batch, head, token % sizes.length);
      float* row = to + head * sizes.size;
      if (steps.bias == nullptr) {
        std::copy_n(from, sizes.size, row);
      } else {
        const float* bias = steps.bias + head * sizes.size;
        for (std::int64_t i = 0; i < sizes.size; ++i) row[i] = from[i] + bias[i];
      }
    }
    if (steps.norm != nullptr) {
      rms_normalization({.in = to,
                         .scale = steps.norm,
                         .out = to,
                         .rows = sizes.heads,
                         .size = sizes.size,
                         .epsilon = steps.epsilon},
                        alone, isa);
    }
    if (steps.cosines == nullptr) return;
    const std::int64_t angles = steps.angle_rows[token] * steps.pairs;
    for (std::int64_t head = 0; head < sizes.heads; ++head) {
      float* row = to + head * sizes.size;
      rotate(row, steps.cosines + angles, steps.sines + angles, row, steps.pairs);
    }
  };
  const std::int64_t elements = std::max<std::int64_t>(1, sizes.heads * sizes.size);
  workers.parallel_ranges(sizes.batch * sizes.length, std::max<std::int64_t>(1, 16384 / elements),
                          [&](std::int64_t begin, std::int64_t end) {
                            Workers alone(workers.stop());
                            for (std::int64_t i = begin; i < end; ++i) one_token(i, alone);
                          });
}

}  // namespace ortool::cpu

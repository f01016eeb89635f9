// Causal convolution: accumulates each row of time steps one kernel tap at a time.
#include "kernels/cpu/conv/causal_conv.hpp"

#include <algorithm>

#include "kernels/cpu/isa/unary_f32.hpp"

namespace ortool::cpu {

void causal_conv(const CausalConvSizes& sizes, const float* x, const float* weight,
                 const float* bias, const float* past, float* y, float* present, Isa isa,
                 Workers& workers) {
  const std::int64_t state = sizes.kernel - 1;
  const std::int64_t length = sizes.length;
  const std::int64_t work = std::max<std::int64_t>(1, length * sizes.kernel);
  const std::int64_t grain = std::max<std::int64_t>(1, 32768 / work);
  const auto run_row = [&](std::int64_t row) {
    const std::int64_t channel = row % sizes.channels;
    const float* in = x + row * length;
    const float* before = past == nullptr ? nullptr : past + row * state;
    float* out = y + row * length;
    std::fill(out, out + length, bias == nullptr ? 0.0F : bias[channel]);
    for (std::int64_t k = 0; k < sizes.kernel; ++k) {
      const float factor = weight[channel * sizes.kernel + k];
      const std::int64_t lag = state - k;
      const std::int64_t first = std::min(lag, length);
      for (std::int64_t t = 0; before != nullptr && t < first; ++t)
        out[t] += factor * before[k + t];
      for (std::int64_t t = first; t < length; ++t) out[t] += factor * in[t - lag];
    }
    if (sizes.has_silu) unary_f32_function(isa)(UnaryOp::swish, out, out, length, 1.0F, 0.0F);
    if (present == nullptr) return;
    for (std::int64_t i = 0; i < state; ++i) {
      const std::int64_t from = i + length;
      const float old = before == nullptr || from >= state ? 0.0F : before[from];
      present[row * state + i] = from >= state ? in[from - state] : old;
    }
  };
  workers.parallel_ranges(sizes.batch * sizes.channels, grain,
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t row = begin; row < end; ++row) run_row(row);
                          });
}

}  // namespace ortool::cpu

// Mixture of experts: routing, and what stands between the products of an expert.
#include "kernels/cpu/experts/routing.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/elementwise/swiglu.hpp"

namespace ortool::cpu {
namespace {

/// Elements that justify a task.
constexpr std::int64_t min_elements = 1 << 13;
constexpr std::int64_t gated_at_once = 256;

std::int64_t row_grain(std::int64_t columns) {
  return std::max<std::int64_t>(1, min_elements / std::max<std::int64_t>(1, columns));
}

/// The experts of one token, the largest logit first.
void pick_largest(const float* logits, std::int64_t experts, std::int64_t chosen,
                  std::int32_t* picked) {
  for (std::int64_t i = 0; i < chosen; ++i) {
    std::int64_t best = -1;
    for (std::int64_t e = 0; e < experts; ++e) {
      const bool is_taken = std::find(picked, picked + i, e) != picked + i;
      if (!is_taken && (best < 0 || logits[e] > logits[best])) best = e;
    }
    picked[i] = static_cast<std::int32_t>(best);
  }
}

void weigh(const float* logits, const float* mixing, const ExpertSizes& sizes, bool normalizes,
           const std::int32_t* picked, float* weights) {
  float sum = 0.0F;
  if (mixing == nullptr) {
    const float most = *std::max_element(logits, logits + sizes.experts);
    for (std::int64_t e = 0; e < sizes.experts; ++e) sum += std::exp(logits[e] - most);
    for (std::int64_t i = 0; i < sizes.chosen; ++i)
      weights[i] = std::exp(logits[picked[i]] - most) / sum;
  } else {
    for (std::int64_t i = 0; i < sizes.chosen; ++i) weights[i] = mixing[picked[i]];
  }
  if (!normalizes) return;
  sum = 0.0F;
  for (std::int64_t i = 0; i < sizes.chosen; ++i) sum += weights[i];
  if (sum == 0.0F) return;
  for (std::int64_t i = 0; i < sizes.chosen; ++i) weights[i] /= sum;
}

}  // namespace

void choose_experts(const ExpertSizes& sizes, const float* logits, const float* mixing,
                    bool normalizes, const ExpertChoice& choice) {
  std::fill_n(choice.starts, sizes.experts + 1, 0);
  for (std::int64_t token = 0; token < sizes.tokens; ++token) {
    const std::int64_t place = token * sizes.chosen;
    const std::int64_t row = token * sizes.experts;
    pick_largest(logits + row, sizes.experts, sizes.chosen, choice.picked + place);
    weigh(logits + row, mixing != nullptr ? mixing + row : nullptr, sizes, normalizes,
          choice.picked + place, choice.picked_weights + place);
    for (std::int64_t i = 0; i < sizes.chosen; ++i) ++choice.starts[choice.picked[place + i] + 1];
  }
  for (std::int64_t e = 0; e < sizes.experts; ++e) choice.starts[e + 1] += choice.starts[e];
  for (std::int64_t i = 0; i < sizes.tokens * sizes.chosen; ++i) {
    // Afterwards each start is the next one's, and they move up by one.
    const std::int32_t to = choice.starts[choice.picked[i]]++;
    choice.tokens[to] = static_cast<std::int32_t>(i / sizes.chosen);
    choice.weights[to] = choice.picked_weights[i];
  }
  for (std::int64_t e = sizes.experts; e > 0; --e) choice.starts[e] = choice.starts[e - 1];
  choice.starts[0] = 0;
}

void gate_rows(const GatedRows& in, std::int64_t rows, std::int64_t columns, float alpha,
               float beta, float limit, float* out, Isa isa, Workers& workers) {
  workers.parallel_ranges(rows, row_grain(columns), [&](std::int64_t begin, std::int64_t end) {
    Workers alone(workers.stop());
    float gates[gated_at_once];
    float values[gated_at_once];
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::int64_t first = 0; first < columns; first += gated_at_once) {
        const std::int64_t count = std::min(gated_at_once, columns - first);
        const std::int64_t place = row * in.row_stride + first * in.step;
        for (std::int64_t i = 0; i < count; ++i) {
          gates[i] = std::min(in.gate[place + i * in.step], limit);
          values[i] = std::clamp(in.value[place + i * in.step], -limit, limit) + beta;
        }
        swiglu(gates, values, out + row * columns + first, count, alpha, alone, isa);
      }
    }
  });
}

void add_weighted_rows(const float* from, const std::int32_t* tokens, const float* weights,
                       std::int64_t rows, std::int64_t columns, float* to, Workers& workers) {
  // No token has an expert twice, so rows are independent.
  workers.parallel_ranges(rows, row_grain(columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const float* source = from + row * columns;
      float* sums = to + tokens[row] * columns;
      const float weight = weights[row];
      for (std::int64_t i = 0; i < columns; ++i) sums[i] += weight * source[i];
    }
  });
}

void copy_rows(const float* from, const std::int32_t* tokens, std::int64_t rows,
               std::int64_t columns, float* to, Workers& workers) {
  workers.parallel_ranges(rows, row_grain(columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
      std::copy_n(from + tokens[row] * columns, columns, to + row * columns);
  });
}

void multiply_elements(float* a, const float* b, std::int64_t count, Workers& workers) {
  workers.parallel_ranges(count, min_elements, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) a[i] *= b[i];
  });
}

}  // namespace ortool::cpu

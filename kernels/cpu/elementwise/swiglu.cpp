// SwiGLU in blocks that stay in the L1 cache between its two steps.
#include "kernels/cpu/elementwise/swiglu.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/elementwise/binary_rows.hpp"
#include "kernels/cpu/isa/unary_f32.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t task_elements = 16384;
constexpr std::int64_t block_elements = 2048;

}  // namespace

void swiglu(const float* gate, const float* value, float* out, std::int64_t count, float alpha,
            Workers& workers, Isa isa) {
  const UnaryF32Function swish = unary_f32_function(isa);
  const auto multiply = binary_row_functions(isa).combine;
  workers.parallel_ranges(count, task_elements, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; i += block_elements) {
      const std::int64_t here = std::min(block_elements, end - i);
      swish(UnaryOp::swish, gate + i, out + i, here, alpha, 0);
      multiply(BinaryOp::multiply, NumberType::float32, {out + i, value + i, 1, 1, out + i, here});
    }
  });
}

void swiglu(const double* gate, const double* value, double* out, std::int64_t count, float alpha,
            Workers& workers) {
  const auto factor = static_cast<double>(alpha);
  workers.parallel_ranges(count, task_elements / 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      out[i] = gate[i] / (1 + std::exp(-factor * gate[i])) * value[i];
  });
}

}  // namespace ortool::cpu

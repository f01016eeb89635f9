// SwiGLU in blocks that stay in the first-level cache between its two steps.
#include "kernels/cpu/elementwise/swiglu.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/elementwise/binary_rows.hpp"
#include "kernels/cpu/isa/unary_f32.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t task_elements = 16384;
constexpr std::int64_t block_elements = 2048;

struct SwigluFunctions {
  decltype(&baseline::unary_float) unary;
  decltype(&baseline::binary_row) binary;
};

SwigluFunctions swiglu_functions(Isa isa) {
  switch (isa) {
    case Isa::amx:
    case Isa::avx512:
      return {avx512::unary_float, avx512::binary_row};
    case Isa::avx2:
      return {avx2::unary_float, avx2::binary_row};
    default:
      return {baseline::unary_float, baseline::binary_row};
  }
}

}  // namespace

void swiglu(const float* gate, const float* value, float* out, std::int64_t count, float alpha,
            Workers& workers, Isa isa) {
  const SwigluFunctions functions = swiglu_functions(isa);
  workers.parallel_ranges(count, task_elements, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; i += block_elements) {
      const std::int64_t here = std::min(block_elements, end - i);
      functions.unary(UnaryOp::swish, gate + i, out + i, here, alpha, 0);
      functions.binary(BinaryOp::multiply, NumberType::float32,
                       {out + i, value + i, 1, 1, out + i, here});
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

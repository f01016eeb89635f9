// GEMV with a transposed matrix in portable C++: 4 columns per vector, transposed in registers.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/cpu/gemm/f32/pack.hpp"

namespace ortool::cpu::baseline {
namespace {

using FourFloats = float __attribute__((vector_size(16)));

constexpr std::int64_t columns_at_once = 4;
constexpr std::int64_t steps_at_once = 4;

inline FourFloats load_four(const float* from) {
  FourFloats value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Up to four columns; missing ones read the last column and are not stored.
void few_columns(const float* x, const float* b, std::int64_t b_stride, std::int64_t columns,
                 std::int64_t k, float* out) {
  const float* from[columns_at_once];
  for (std::int64_t i = 0; i < columns_at_once; ++i)
    from[i] = b + std::min(i, columns - 1) * b_stride;
  FourFloats sums = {};
  std::int64_t step = 0;
  for (; step + steps_at_once <= k; step += steps_at_once) {
    const FourFloats in[4] = {load_four(from[0] + step), load_four(from[1] + step),
                              load_four(from[2] + step), load_four(from[3] + step)};
    const FourFloats t0 = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5);
    const FourFloats t1 = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7);
    const FourFloats t2 = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5);
    const FourFloats t3 = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);
    sums += x[step] * __builtin_shufflevector(t0, t2, 0, 1, 4, 5);
    sums += x[step + 1] * __builtin_shufflevector(t0, t2, 2, 3, 6, 7);
    sums += x[step + 2] * __builtin_shufflevector(t1, t3, 0, 1, 4, 5);
    sums += x[step + 3] * __builtin_shufflevector(t1, t3, 2, 3, 6, 7);
  }
  for (; step < k; ++step)
    sums += x[step] * FourFloats{from[0][step], from[1][step], from[2][step], from[3][step]};
  std::memcpy(out, &sums, static_cast<std::size_t>(columns) * sizeof(float));
}

}  // namespace

void row_transposed(const float* x, const float* b, std::int64_t b_stride, std::int64_t columns,
                    std::int64_t k, float* out) {
  for (std::int64_t column = 0; column < columns; column += columns_at_once) {
    few_columns(x, b + column * b_stride, b_stride, std::min(columns_at_once, columns - column), k,
                out + column);
  }
}

}  // namespace ortool::cpu::baseline

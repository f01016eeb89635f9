// Reference GEMM: a task is some rows of one product; k is processed in blocks so that b's rows
// stay in cache.
#include "kernels/cpu/gemm/reference_gemm.hpp"

#include <algorithm>
#include <type_traits>

namespace ortool::cpu {
namespace {

constexpr std::int64_t rows_per_task = 16;
constexpr std::int64_t depth_per_block = 64;

/// The accumulation type: signed overflow is undefined, unsigned wraps to the same bits.
template <typename T>
struct Counted {
  using Type = std::make_unsigned_t<T>;
};
template <>
struct Counted<double> {
  using Type = double;
};

template <typename T>
T multiply_add(T sum, T a, T b) {
  using Number = typename Counted<T>::Type;
  return static_cast<T>(static_cast<Number>(sum) + static_cast<Number>(a) * static_cast<Number>(b));
}

template <typename T>
void multiply_rows(const GemmSizes& sizes, std::int64_t begin, std::int64_t end,
                   const ReferenceMatrix<T>& a, const ReferenceMatrix<T>& b, T* c,
                   const Workers& workers) {
  std::fill(c + begin * sizes.n, c + end * sizes.n, T{});
  const std::int64_t row_step = a.transposed ? 1 : a.stride;
  const std::int64_t depth_step = a.transposed ? a.stride : 1;
  for (std::int64_t first = 0; first < sizes.k; first += depth_per_block) {
    const std::int64_t last = std::min(first + depth_per_block, sizes.k);
    for (std::int64_t row = begin; row < end; ++row) {
      workers.poll();
      T* out = c + row * sizes.n;
      for (std::int64_t depth = first; depth < last; ++depth) {
        const T factor = a.data[row * row_step + depth * depth_step];
        const T* in = b.data + depth * (b.transposed ? 1 : b.stride);
        const std::int64_t step = b.transposed ? b.stride : 1;
        for (std::int64_t column = 0; column < sizes.n; ++column)
          out[column] = multiply_add(out[column], factor, in[column * step]);
      }
    }
  }
}

}  // namespace

template <typename T>
void matmul_reference(std::span<const GemmOffsets> offsets, const GemmSizes& sizes,
                      const ReferenceMatrix<T>& a, const ReferenceMatrix<T>& b, T* c,
                      Workers& workers) {
  const std::int64_t tasks = (sizes.m + rows_per_task - 1) / rows_per_task;
  const auto batch = static_cast<std::int64_t>(offsets.size());
  workers.parallel_for(batch * tasks, [&](std::int64_t task) {
    const GemmOffsets& offset = offsets[static_cast<std::size_t>(task / tasks)];
    const std::int64_t begin = task % tasks * rows_per_task;
    multiply_rows(sizes, begin, std::min(begin + rows_per_task, sizes.m),
                  ReferenceMatrix<T>{a.data + offset.a, a.stride, a.transposed},
                  ReferenceMatrix<T>{b.data + offset.b, b.stride, b.transposed}, c + offset.c,
                  workers);
  });
}

template <typename T>
void scale_and_add(std::int64_t m, std::int64_t n, T alpha, T beta, const T* added,
                   std::int64_t row_step, std::int64_t column_step, T* c, Workers& workers) {
  workers.parallel_ranges(m, rows_per_task, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::int64_t column = 0; column < n; ++column) {
        T& sum = c[row * n + column];
        sum = multiply_add(T{}, sum, alpha);
        if (added != nullptr)
          sum = multiply_add(sum, added[row * row_step + column * column_step], beta);
      }
    }
  });
}

#define ORTOOL_INSTANTIATE(T)                                                              \
  template void matmul_reference(std::span<const GemmOffsets>, const GemmSizes&,           \
                                 const ReferenceMatrix<T>&, const ReferenceMatrix<T>&, T*, \
                                 Workers&);                                                \
  template void scale_and_add(std::int64_t, std::int64_t, T, T, const T*, std::int64_t,    \
                              std::int64_t, T*, Workers&)
ORTOOL_INSTANTIATE(double);
ORTOOL_INSTANTIATE(std::int32_t);
ORTOOL_INSTANTIATE(std::int64_t);
ORTOOL_INSTANTIATE(std::uint32_t);
ORTOOL_INSTANTIATE(std::uint64_t);
#undef ORTOOL_INSTANTIATE

}  // namespace ortool::cpu

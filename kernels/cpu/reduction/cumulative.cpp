// CumSum and CumProd: blocks of adjacent lines advance along the axis together.
#include "kernels/cpu/reduction/cumulative.hpp"

#include <algorithm>
#include <type_traits>

#include "kernels/cpu/reduction/cumulative_rows.hpp"
#include "kernels/cpu/types/convert_element.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t line_block = 128;
constexpr std::int64_t steps_a_poll = 8192;
constexpr std::int64_t cumulative_task_elements = 16384;

template <typename T>
using RunningTotal =
    std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<double>>;

template <typename T, bool multiplies, bool exclusive>
void take_element(T in, typename RunningTotal<T>::type& total, T& out) {
  using Total = typename RunningTotal<T>::type;
  const auto value = convert_number<Total>(in);
  const Total before = total;
  total = static_cast<Total>(multiplies ? before * value : before + value);
  out = convert_number<T>(exclusive ? before : total);
}

/// A single line, whose total stays in a register.
template <typename T, bool multiplies, bool exclusive>
void run_one(const T* in, T* out, std::int64_t steps, std::int64_t step, const Workers& workers) {
  using Total = typename RunningTotal<T>::type;
  Total total = static_cast<Total>(multiplies ? 1 : 0);
  for (std::int64_t k = 0; k < steps; ++k) {
    if (k % steps_a_poll == 0) workers.poll();
    take_element<T, multiplies, exclusive>(*in, total, *out);
    in += step;
    out += step;
  }
}

template <typename T, bool multiplies, bool exclusive>
void run_along(const T* in, T* out, std::int64_t steps, std::int64_t step, std::int64_t lines,
               const CumulativeRowFunctions& rows, const Workers& workers) {
  using Total = typename RunningTotal<T>::type;
  if (lines == 1) return run_one<T, multiplies, exclusive>(in, out, steps, step, workers);
  Total totals[line_block];
  std::fill_n(totals, lines, static_cast<Total>(multiplies ? 1 : 0));
  for (std::int64_t k = 0; k < steps; ++k) {
    if (k % steps_a_poll == 0) workers.poll();
    if constexpr (std::is_same_v<T, float> && !multiplies) {
      rows.add_row(in, lines, exclusive ? 1 : 0, totals, out);
    } else {
      for (std::int64_t i = 0; i < lines; ++i)
        take_element<T, multiplies, exclusive>(in[i], totals[i], out[i]);
    }
    in += step;
    out += step;
  }
}

template <typename T>
void cumulative_of(CumulativeParams params, const T* in, T* out, CumulativeSizes sizes, Isa isa,
                   Workers& workers) {
  const CumulativeRowFunctions& rows = cumulative_row_functions(isa);
  const std::int64_t blocks = (sizes.inner + line_block - 1) / line_block;
  const std::int64_t block_elements =
      std::max<std::int64_t>(1, sizes.axis * std::min(sizes.inner, line_block));
  const auto run_block = [&](std::int64_t index) {
    const std::int64_t first = index % blocks * line_block;
    const std::int64_t lines = std::min(line_block, sizes.inner - first);
    const std::int64_t last = params.reverse ? (sizes.axis - 1) * sizes.inner : 0;
    const std::int64_t at = index / blocks * sizes.axis * sizes.inner + first + last;
    const std::int64_t step = params.reverse ? -sizes.inner : sizes.inner;
    const auto run =
        params.multiplies
            ? (params.exclusive ? run_along<T, true, true> : run_along<T, true, false>)
            : (params.exclusive ? run_along<T, false, true> : run_along<T, false, false>);
    run(in + at, out + at, sizes.axis, step, lines, rows, workers);
  };
  if (sizes.axis == 0) return;
  workers.parallel_ranges(sizes.outer * blocks,
                          std::max<std::int64_t>(1, cumulative_task_elements / block_elements),
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t i = begin; i < end; ++i) run_block(i);
                          });
}

}  // namespace

void cumulative(CumulativeParams params, DataType type, const void* in, void* out,
                CumulativeSizes sizes, Isa isa, Workers& workers) {
  dispatch_data_type(type, [&](auto number) {
    using T = decltype(number);
    if constexpr (is_fp16<T> || sizeof(T) >= 4) {
      cumulative_of(params, static_cast<const T*>(in), static_cast<T*>(out), sizes, isa, workers);
    } else {
      ORTOOL_CHECK(false && "no cumulative sums of small integers");
    }
  });
}

}  // namespace ortool::cpu

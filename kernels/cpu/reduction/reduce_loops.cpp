// Reduction loops, made from accumulators: reductions that differ in their ends only share them.
#include "kernels/cpu/reduction/reduce_loops.hpp"

#include <algorithm>
#include <type_traits>

#include "kernels/cpu/reduction/accumulator.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"

namespace ortool::cpu {
namespace {

template <typename Sums>
void begin_partials(void* partials, std::int64_t count) {
  std::fill_n(static_cast<typename Sums::Partial*>(partials), count, Sums::begin());
}

template <typename Sums>
void join_partials(void* partials, const void* more, std::int64_t count) {
  auto* to = static_cast<typename Sums::Partial*>(partials);
  const auto* from = static_cast<const typename Sums::Partial*>(more);
  for (std::int64_t i = 0; i < count; ++i) to[i] = Sums::join(to[i], from[i]);
}

template <typename Sums, typename T>
void take_columns(const void* in, std::int64_t steps, std::int64_t stride, std::int64_t count,
                  void* partials, const ReduceRowFunctions&) {
  const auto* from = static_cast<const T*>(in);
  auto* __restrict to = static_cast<typename Sums::Partial*>(partials);
  for (std::int64_t step = 0; step < steps; ++step, from += stride) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = Sums::take(to[i], from[i]);
  }
}

template <typename Sums, typename T>
typename Sums::Partial take_row(const T* in, std::int64_t count) {
  typename Sums::Partial a = Sums::begin();
  typename Sums::Partial b = Sums::begin();
  typename Sums::Partial c = Sums::begin();
  typename Sums::Partial d = Sums::begin();
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    a = Sums::take(a, in[i]);
    b = Sums::take(b, in[i + 1]);
    c = Sums::take(c, in[i + 2]);
    d = Sums::take(d, in[i + 3]);
  }
  for (; i < count; ++i) a = Sums::take(a, in[i]);
  return Sums::join(Sums::join(a, b), Sums::join(c, d));
}

template <typename Sums, typename T>
void take_rows(const void* in, std::int64_t count, std::int64_t size, void* partials,
               const ReduceRowFunctions&) {
  const auto* from = static_cast<const T*>(in);
  auto* to = static_cast<typename Sums::Partial*>(partials);
  for (std::int64_t i = 0; i < count; ++i) to[i] = take_row<Sums>(from + i * size, size);
}

template <ReduceOp op, typename T, typename Partial>
void finish_partials(const void* partials, std::int64_t count, std::int64_t length, void* out) {
  const auto* from = static_cast<const Partial*>(partials);
  auto* to = static_cast<T*>(out);
  for (std::int64_t i = 0; i < count; ++i) to[i] = finish_reduction<op, T>(from[i], length);
}

/// The loops of the instruction set for sums of float32.
template <SumKind kind>
struct FloatSums {
  static void columns(const void* in, std::int64_t steps, std::int64_t stride, std::int64_t count,
                      void* partials, const ReduceRowFunctions& rows) {
    rows.sum_columns(kind, static_cast<const float*>(in), steps, stride, count,
                     static_cast<double*>(partials));
  }
  static void each_row(const void* in, std::int64_t count, std::int64_t size, void* partials,
                       const ReduceRowFunctions& rows) {
    rows.sum_rows(kind, static_cast<const float*>(in), count, size, static_cast<double*>(partials));
  }
};

template <bool is_largest>
struct FloatExtremes {
  static void columns(const void* in, std::int64_t steps, std::int64_t stride, std::int64_t count,
                      void* partials, const ReduceRowFunctions& rows) {
    for (std::int64_t step = 0; step < steps; ++step) {
      rows.extreme_columns(is_largest, static_cast<const float*>(in) + step * stride, count,
                           static_cast<float*>(partials));
    }
  }
  static void each_row(const void* in, std::int64_t count, std::int64_t size, void* partials,
                       const ReduceRowFunctions& rows) {
    rows.extreme_rows(is_largest, static_cast<const float*>(in), count, size,
                      static_cast<float*>(partials));
  }
};

template <typename Loops>
void vectorize(ReduceLoops& loops) {
  loops.is_vectorized = true;
  loops.take_columns = Loops::columns;
  loops.take_rows = Loops::each_row;
}

template <ReduceOp op, typename T>
ReduceLoops loops_of() {
  constexpr AccumulatorKind kind = accumulation_of(op);
  using Partial = PartialOf<op, T>;
  using Sums = Accumulator<kind, Partial>;
  static_assert(sizeof(Partial) <= max_bytes_of_partial);
  ReduceLoops loops = {};
  loops.element_bytes = sizeof(T);
  loops.partial_bytes = sizeof(Partial);
  loops.begin = begin_partials<Sums>;
  loops.join = join_partials<Sums>;
  loops.finish = finish_partials<op, T, Partial>;
  if constexpr (std::is_same_v<T, float> && kind == AccumulatorKind::sum) {
    vectorize<FloatSums<SumKind::plain>>(loops);
  } else if constexpr (std::is_same_v<T, float> && kind == AccumulatorKind::magnitudes) {
    vectorize<FloatSums<SumKind::magnitudes>>(loops);
  } else if constexpr (std::is_same_v<T, float> && kind == AccumulatorKind::squares) {
    vectorize<FloatSums<SumKind::squares>>(loops);
  } else if constexpr (std::is_same_v<T, float> && is_extreme(kind)) {
    vectorize<FloatExtremes<kind == AccumulatorKind::maximum>>(loops);
  } else {
    loops.take_columns = take_columns<Sums, T>;
    loops.take_rows = take_rows<Sums, T>;
  }
  return loops;
}

template <ReduceOp op>
ReduceLoops loops_of_type(DataType type) {
  return dispatch_data_type(type, [](auto number) -> ReduceLoops {
    using T = decltype(number);
    constexpr bool is_small = std::is_integral_v<T> && sizeof(T) < 4;
    if constexpr (!is_small || (is_extreme(accumulation_of(op)) && sizeof(T) == 1)) {
      return loops_of<op, T>();
    } else {
      ORTOOL_CHECK(false && "no such reduction of this type");
    }
  });
}

}  // namespace

ReduceLoops reduce_loops(ReduceOp op, DataType type) {
  switch (op) {
    case ReduceOp::sum:
      return loops_of_type<ReduceOp::sum>(type);
    case ReduceOp::mean:
      return loops_of_type<ReduceOp::mean>(type);
    case ReduceOp::product:
      return loops_of_type<ReduceOp::product>(type);
    case ReduceOp::maximum:
      return loops_of_type<ReduceOp::maximum>(type);
    case ReduceOp::minimum:
      return loops_of_type<ReduceOp::minimum>(type);
    case ReduceOp::l1:
      return loops_of_type<ReduceOp::l1>(type);
    case ReduceOp::l2:
      return loops_of_type<ReduceOp::l2>(type);
    case ReduceOp::sum_square:
      return loops_of_type<ReduceOp::sum_square>(type);
    case ReduceOp::log_sum:
      return loops_of_type<ReduceOp::log_sum>(type);
    case ReduceOp::log_sum_exp:
      return loops_of_type<ReduceOp::log_sum_exp>(type);
  }
  ORTOOL_CHECK(false && "no such reduction");
}

}  // namespace ortool::cpu

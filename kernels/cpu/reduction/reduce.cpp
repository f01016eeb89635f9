// Reductions: views the input as one or several matrices and accumulates their rows into a row of
// partial results.
#include "kernels/cpu/reduction/reduce.hpp"

#include <algorithm>

#include "kernels/cpu/reduction/reduce_rows.hpp"
#include "kernels/cpu/reduction/reduce_step.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t elements_of_task = 32768;
// Narrow matrices process several rows at a time to have this many independent partial results.
constexpr std::int64_t min_lanes = 64;

std::int64_t kept_offset(std::span<const ReducePlan::Axis> axes, std::int64_t index) {
  std::int64_t offset = 0;
  for (std::size_t i = axes.size(); i-- > 1;) {
    offset += index % axes[i].size * axes[i].stride;
    index /= axes[i].size;
  }
  return axes.empty() ? 0 : offset + index * axes[0].stride;
}

/// One part of the reduced elements.
struct Part {
  std::int64_t offset = 0;    ///< of the first element
  std::int64_t matrices = 1;  ///< product of the reduced sizes except the rows
  std::int64_t rows = 1;
  std::size_t cut = 0;
  std::int64_t cut_size = 1;  ///< size of the reduced axis `cut`

  Part(const ReducePlan& plan, std::int64_t index) : rows(plan.rows), cut(plan.cut) {
    const bool cuts_rows = plan.cut == plan.reduced.size();
    const std::int64_t size = cuts_rows ? plan.rows : plan.reduced[plan.cut].size;
    const std::int64_t first = size * index / plan.parts;
    cut_size = size * (index + 1) / plan.parts - first;
    offset = first * (cuts_rows ? plan.columns : plan.reduced[plan.cut].stride);
    if (cuts_rows) rows = cut_size;
    for (std::size_t i = 0; i < plan.reduced.size(); ++i)
      matrices *= i == cut ? cut_size : plan.reduced[i].size;
  }

  std::int64_t matrix_offset(const ReducePlan& plan, std::int64_t index) const {
    std::int64_t result = 0;
    for (std::size_t i = plan.reduced.size(); i-- > 1;) {
      const std::int64_t size = i == cut ? cut_size : plan.reduced[i].size;
      result += index % size * plan.reduced[i].stride;
      index /= size;
    }
    return plan.reduced.empty() ? 0 : result + index * plan.reduced[0].stride;
  }
};

/// The vector loop that implements a step, if any.
template <typename Step>
struct VectorizedReduction {
  static constexpr bool exists = false;
};

template <ReduceOp op>
struct VectorizedReduction<ReduceStep<op, float>> {
  static constexpr bool is_extreme = op == ReduceOp::maximum || op == ReduceOp::minimum;
  static constexpr bool is_largest = op == ReduceOp::maximum;
  static constexpr bool exists = op != ReduceOp::product && op != ReduceOp::log_sum_exp;
  static constexpr SumKind kind = op == ReduceOp::l1 ? SumKind::magnitudes
                                  : op == ReduceOp::l2 || op == ReduceOp::sum_square
                                      ? SumKind::squares
                                      : SumKind::plain;
};

/// Takes `steps` rows of `count` elements, `stride` apart.
template <typename Step, typename T>
void take_rows(const T* in, std::int64_t steps, std::int64_t stride,
               typename Step::Partial* __restrict partials, std::int64_t count,
               const ReduceRowFunctions& rows) {
  using Vectorized = VectorizedReduction<Step>;
  if constexpr (!Vectorized::exists) {
    for (std::int64_t step = 0; step < steps; ++step, in += stride) {
      for (std::int64_t i = 0; i < count; ++i) partials[i] = Step::take(partials[i], in[i]);
    }
  } else if constexpr (Vectorized::is_extreme) {
    for (std::int64_t step = 0; step < steps; ++step, in += stride)
      rows.extreme_columns(Vectorized::is_largest, in, count, partials);
  } else {
    rows.sum_columns(Vectorized::kind, in, steps, stride, count, partials);
  }
}

/// Reduces `count` rows of `size` contiguous elements by the vector loops.
template <typename Step>
void reduce_rows(const float* in, std::int64_t count, std::int64_t size,
                 typename Step::Partial* partials, const ReduceRowFunctions& rows) {
  using Vectorized = VectorizedReduction<Step>;
  if constexpr (Vectorized::is_extreme) {
    rows.extreme_rows(Vectorized::is_largest, in, count, size, partials);
  } else {
    rows.sum_rows(Vectorized::kind, in, count, size, partials);
  }
}

/// Reduces contiguous elements.
template <typename Step, typename T>
typename Step::Partial reduce_run(const T* in, std::int64_t count, const ReduceRowFunctions& rows) {
  if constexpr (VectorizedReduction<Step>::exists) {
    typename Step::Partial partial;
    reduce_rows<Step>(in, 1, count, &partial, rows);
    return partial;
  }
  using Partial = typename Step::Partial;
  Partial a = Step::begin();
  Partial b = Step::begin();
  Partial c = Step::begin();
  Partial d = Step::begin();
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    a = Step::take(a, in[i]);
    b = Step::take(b, in[i + 1]);
    c = Step::take(c, in[i + 2]);
    d = Step::take(d, in[i + 3]);
  }
  for (; i < count; ++i) a = Step::take(a, in[i]);
  return Step::join(Step::join(a, b), Step::join(c, d));
}

/// Reduces `width` columns of a group's part from `in` on, into the first `width` partials.
template <typename Step, typename T>
void reduce_columns(const T* in, const ReducePlan& plan, const Part& part, std::int64_t width,
                    typename Step::Partial* partials, const ReduceRowFunctions& rows) {
  if (plan.columns == 1 && (VectorizedReduction<Step>::exists || part.rows < min_lanes)) {
    *partials = Step::begin();
    for (std::int64_t matrix = 0; matrix < part.matrices; ++matrix) {
      const T* run = in + part.matrix_offset(plan, matrix);
      *partials = Step::join(*partials, reduce_run<Step>(run, part.rows, rows));
    }
    return;
  }
  std::int64_t folds = 1;
  if (width == plan.columns && width < min_lanes / 2) {
    folds = std::clamp<std::int64_t>(part.rows / 4, 1, min_lanes / width);
  }
  const std::int64_t lanes = folds * width;
  std::fill_n(partials, lanes, Step::begin());
  const std::int64_t steps = part.rows / folds;
  const std::int64_t rest = part.rows % folds * width;
  for (std::int64_t matrix = 0; matrix < part.matrices; ++matrix) {
    const T* row = in + part.matrix_offset(plan, matrix);
    take_rows<Step>(row, steps, folds * plan.columns, partials, lanes, rows);
    row += steps * folds * plan.columns;
    if (rest > 0) take_rows<Step>(row, 1, 0, partials, rest, rows);
  }
  for (std::int64_t i = width; i < lanes; ++i) {
    partials[i % width] = Step::join(partials[i % width], partials[i]);
  }
}

/// Consecutive rows, each of which is an output.
template <typename Step>
void reduce_plain_rows(const float* in, float* out, const ReducePlan& plan, Workers& workers,
                       const ReduceRowFunctions& rows) {
  const std::int64_t grain = std::max<std::int64_t>(1, elements_of_task / plan.rows);
  workers.parallel_ranges(plan.groups, grain, [&](std::int64_t begin, std::int64_t end) {
    typename Step::Partial partials[reduce_lanes];
    for (std::int64_t first = begin; first < end; first += reduce_lanes) {
      const std::int64_t count = std::min(reduce_lanes, end - first);
      reduce_rows<Step>(in + first * plan.rows, count, plan.rows, partials, rows);
      for (std::int64_t i = 0; i < count; ++i)
        out[first + i] = Step::finish(partials[i], plan.length);
    }
  });
}

template <typename Step, typename T>
void reduce_all(const T* in, T* out, const ReducePlan& plan, void* workspace, Workers& workers,
                Isa isa) {
  using Partial = typename Step::Partial;
  static_assert(sizeof(Partial) <= max_bytes_of_partial);
  const std::int64_t outputs = plan.output_count();
  if (outputs == 0) return;
  if (plan.length == 0) {
    std::fill_n(out, outputs, Step::finish(Step::begin(), 0));
    return;
  }
  const ReduceRowFunctions& rows = reduce_row_functions(isa);
  if constexpr (VectorizedReduction<Step>::exists) {
    const bool is_plain = plan.columns == 1 && plan.parts == 1 && plan.kept.size() <= 1;
    if (is_plain && plan.reduced.empty())
      return reduce_plain_rows<Step>(in, out, plan, workers, rows);
  }
  auto* kept_partials = static_cast<Partial*>(workspace);
  const std::int64_t blocks = (plan.columns + reduce_lanes - 1) / reduce_lanes;
  const std::int64_t units = plan.groups * blocks;
  const std::int64_t unit_elements =
      std::min(plan.columns, reduce_lanes) * (plan.length / plan.parts + 1);
  const std::int64_t grain = std::max<std::int64_t>(1, elements_of_task / unit_elements);
  workers.parallel_ranges(units * plan.parts, grain, [&](std::int64_t begin, std::int64_t end) {
    Partial partials[reduce_lanes];
    std::int64_t index = begin / units;
    std::int64_t group = begin % units / blocks;
    std::int64_t block = begin % blocks;
    Part part(plan, index);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = block * reduce_lanes;
      const std::int64_t width = std::min(plan.columns - first, reduce_lanes);
      const T* start = in + kept_offset(plan.kept, group) + part.offset + first;
      reduce_columns<Step>(start, plan, part, width, partials, rows);
      const std::int64_t output = group * plan.columns + first;
      if (plan.parts > 1) {
        std::copy_n(partials, width, kept_partials + index * outputs + output);
      } else if (width == 1) {
        // Avoids the loop, which makes short float64 runs four times slower.
        out[output] = Step::finish(partials[0], plan.length);
      } else {
        for (std::int64_t k = 0; k < width; ++k)
          out[output + k] = Step::finish(partials[k], plan.length);
      }
      if (++block < blocks) continue;
      block = 0;
      if (++group < plan.groups) continue;
      group = 0;
      part = Part(plan, ++index);
    }
  });
  if (plan.parts == 1) return;
  for (std::int64_t i = 0; i < outputs; ++i) {
    Partial all = kept_partials[i];
    for (std::int64_t part = 1; part < plan.parts; ++part)
      all = Step::join(all, kept_partials[part * outputs + i]);
    out[i] = Step::finish(all, plan.length);
  }
}

template <ReduceOp op>
void reduce_typed(DataType type, const void* in, void* out, const ReducePlan& plan, void* workspace,
                  Workers& workers, Isa isa) {
  dispatch_data_type(type, [&](auto number) {
    using T = decltype(number);
    constexpr bool is_small = std::is_integral_v<T> && sizeof(T) < 4;
    constexpr bool is_extreme = op == ReduceOp::maximum || op == ReduceOp::minimum;
    if constexpr (!is_small || (is_extreme && sizeof(T) == 1)) {
      reduce_all<ReduceStep<op, T>>(static_cast<const T*>(in), static_cast<T*>(out), plan,
                                    workspace, workers, isa);
    } else {
      ORTOOL_CHECK(false && "no such reduction of this type");
    }
  });
}

}  // namespace

void reduce(ReduceOp op, DataType type, const void* in, void* out, const ReducePlan& plan,
            void* workspace, Workers& workers, Isa isa) {
  switch (op) {
    case ReduceOp::sum:
      return reduce_typed<ReduceOp::sum>(type, in, out, plan, workspace, workers, isa);
    case ReduceOp::mean:
      return reduce_typed<ReduceOp::mean>(type, in, out, plan, workspace, workers, isa);
    case ReduceOp::product:
      return reduce_typed<ReduceOp::product>(type, in, out, plan, workspace, workers, isa);
    case ReduceOp::maximum:
      return reduce_typed<ReduceOp::maximum>(type, in, out, plan, workspace, workers, isa);
    case ReduceOp::minimum:
      return reduce_typed<ReduceOp::minimum>(type, in, out, plan, workspace, workers, isa);
    case ReduceOp::l1:
      return reduce_typed<ReduceOp::l1>(type, in, out, plan, workspace, workers, isa);
    case ReduceOp::l2:
      return reduce_typed<ReduceOp::l2>(type, in, out, plan, workspace, workers, isa);
    case ReduceOp::sum_square:
      return reduce_typed<ReduceOp::sum_square>(type, in, out, plan, workspace, workers, isa);
    case ReduceOp::log_sum:
      return reduce_typed<ReduceOp::log_sum>(type, in, out, plan, workspace, workers, isa);
    case ReduceOp::log_sum_exp:
      return reduce_typed<ReduceOp::log_sum_exp>(type, in, out, plan, workspace, workers, isa);
  }
}

}  // namespace ortool::cpu

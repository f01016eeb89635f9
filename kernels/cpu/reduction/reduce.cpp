// Reductions: views the input as one or several matrices and accumulates their rows into a row of
// partial results.
#include "kernels/cpu/reduction/reduce.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "kernels/cpu/reduction/reduce_loops.hpp"

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

/// One call of reduce().
class Reduction {
 public:
  Reduction(const ReduceLoops& loops, const ReducePlan& plan, Isa isa)
      : loops_(loops), plan_(plan), rows_(reduce_row_functions(isa)) {}

  void run(const std::byte* in, std::byte* out, std::byte* workspace, Workers& workers) const {
    const std::int64_t outputs = plan_.output_count();
    if (outputs == 0) return;
    if (plan_.length == 0) return finish_none(out, outputs);
    // Longer rows have more accumulators as several columns.
    const bool has_runs = loops_.is_vectorized || plan_.rows < min_lanes;
    const bool is_plain = plan_.columns == 1 && plan_.parts == 1 && plan_.kept.size() <= 1;
    if (has_runs && is_plain && plan_.reduced.empty()) return reduce_plain_rows(in, out, workers);
    reduce_units(in, out, workspace, workers);
    if (plan_.parts == 1) return;
    for (std::int64_t part = 1; part < plan_.parts; ++part)
      loops_.join(workspace, workspace + part * outputs * loops_.partial_bytes, outputs);
    loops_.finish(workspace, outputs, plan_.length, out);
  }

 private:
  struct Partials {
    alignas(64) std::byte bytes[reduce_lanes * max_bytes_of_partial];
  };

  void finish_none(std::byte* out, std::int64_t outputs) const {
    Partials partials;
    loops_.begin(partials.bytes, 1);
    for (std::int64_t i = 0; i < outputs; ++i)
      loops_.finish(partials.bytes, 1, 0, out + i * loops_.element_bytes);
  }

  /// Consecutive rows, each of which is an output.
  void reduce_plain_rows(const std::byte* in, std::byte* out, Workers& workers) const {
    const std::int64_t grain = std::max<std::int64_t>(1, elements_of_task / plan_.rows);
    workers.parallel_ranges(plan_.groups, grain, [&](std::int64_t begin, std::int64_t end) {
      Partials partials;
      for (std::int64_t first = begin; first < end; first += reduce_lanes) {
        const std::int64_t count = std::min(reduce_lanes, end - first);
        loops_.take_rows(in + first * plan_.rows * loops_.element_bytes, count, plan_.rows,
                         partials.bytes, rows_);
        loops_.finish(partials.bytes, count, plan_.length, out + first * loops_.element_bytes);
      }
    });
  }

  /// Blocks of columns of a group's part, to the outputs or, with several parts, to `workspace`.
  void reduce_units(const std::byte* in, std::byte* out, std::byte* workspace,
                    Workers& workers) const {
    const std::int64_t blocks = (plan_.columns + reduce_lanes - 1) / reduce_lanes;
    const std::int64_t units = plan_.groups * blocks;
    const std::int64_t unit_elements =
        std::min(plan_.columns, reduce_lanes) * (plan_.length / plan_.parts + 1);
    const std::int64_t grain = std::max<std::int64_t>(1, elements_of_task / unit_elements);
    workers.parallel_ranges(units * plan_.parts, grain, [&](std::int64_t begin, std::int64_t end) {
      Partials partials;
      std::int64_t index = begin / units;
      std::int64_t group = begin % units / blocks;
      std::int64_t block = begin % blocks;
      Part part(plan_, index);
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t first = block * reduce_lanes;
        const std::int64_t width = std::min(plan_.columns - first, reduce_lanes);
        const std::int64_t start = kept_offset(plan_.kept, group) + part.offset + first;
        reduce_columns(in + start * loops_.element_bytes, part, width, partials.bytes);
        const std::int64_t output = group * plan_.columns + first;
        if (plan_.parts > 1) {
          const std::int64_t kept = index * plan_.output_count() + output;
          std::memcpy(workspace + kept * loops_.partial_bytes, partials.bytes,
                      static_cast<std::size_t>(width * loops_.partial_bytes));
        } else {
          loops_.finish(partials.bytes, width, plan_.length, out + output * loops_.element_bytes);
        }
        if (++block < blocks) continue;
        block = 0;
        if (++group < plan_.groups) continue;
        group = 0;
        part = Part(plan_, ++index);
      }
    });
  }

  /// Reduces `width` columns of a group's part from `in` on, into the first `width` partials.
  void reduce_columns(const std::byte* in, const Part& part, std::int64_t width,
                      std::byte* partials) const {
    if (plan_.columns == 1 && (loops_.is_vectorized || part.rows < min_lanes))
      return reduce_runs(in, part, partials);
    std::int64_t folds = 1;
    if (width == plan_.columns && width < min_lanes / 2)
      folds = std::clamp<std::int64_t>(part.rows / 4, 1, min_lanes / width);
    const std::int64_t lanes = folds * width;
    const std::int64_t stride = folds * plan_.columns;
    loops_.begin(partials, lanes);
    const std::int64_t steps = part.rows / folds;
    const std::int64_t rest = part.rows % folds * width;
    for (std::int64_t matrix = 0; matrix < part.matrices; ++matrix) {
      const std::byte* row = in + part.matrix_offset(plan_, matrix) * loops_.element_bytes;
      loops_.take_columns(row, steps, stride, lanes, partials, rows_);
      row += steps * stride * loops_.element_bytes;
      if (rest > 0) loops_.take_columns(row, 1, 0, rest, partials, rows_);
    }
    for (std::int64_t i = width; i < lanes; i += width)
      loops_.join(partials, partials + i * loops_.partial_bytes, width);
  }

  /// One output: joins the contiguous rows of the part's matrices.
  void reduce_runs(const std::byte* in, const Part& part, std::byte* partials) const {
    alignas(max_bytes_of_partial) std::byte run[max_bytes_of_partial];
    loops_.begin(partials, 1);
    for (std::int64_t matrix = 0; matrix < part.matrices; ++matrix) {
      const std::int64_t offset = part.matrix_offset(plan_, matrix);
      loops_.take_rows(in + offset * loops_.element_bytes, 1, part.rows, run, rows_);
      loops_.join(partials, run, 1);
    }
  }

  const ReduceLoops& loops_;
  const ReducePlan& plan_;
  const ReduceRowFunctions& rows_;
};

}  // namespace

void reduce(ReduceOp op, DataType type, const void* in, void* out, const ReducePlan& plan,
            void* workspace, Workers& workers, Isa isa) {
  const ReduceLoops loops = reduce_loops(op, type);
  const Reduction reduction(loops, plan, isa);
  reduction.run(static_cast<const std::byte*>(in), static_cast<std::byte*>(out),
                static_cast<std::byte*>(workspace), workers);
}

}  // namespace ortool::cpu

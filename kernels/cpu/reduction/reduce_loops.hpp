// Reduction loops: how each reduction of each type accumulates elements, combines partial results
// and ends.
#pragma once

#include <cstdint>

#include "kernels/cpu/reduction/reduce_op.hpp"
#include "kernels/cpu/reduction/reduce_rows.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// Partial results kept side by side on the stack.
constexpr std::int64_t reduce_lanes = 512;
constexpr std::int64_t max_bytes_of_partial = 16;

/// The loops of one reduction of one type. Elements and partial results are in arrays, of
/// `element_bytes` and `partial_bytes` each.
struct ReduceLoops {
  std::int64_t element_bytes;
  std::int64_t partial_bytes;
  bool is_vectorized;  ///< by loops of the instruction set
  /// Partial results of no element.
  void (*begin)(void* partials, std::int64_t count);
  /// partials[i] takes in[i + step * stride] for each step.
  void (*take_columns)(const void* in, std::int64_t steps, std::int64_t stride, std::int64_t count,
                       void* partials, const ReduceRowFunctions& rows);
  /// partials[i] is the result of the `size` elements from in[i * size] on.
  void (*take_rows)(const void* in, std::int64_t count, std::int64_t size, void* partials,
                    const ReduceRowFunctions& rows);
  /// partials[i] and more[i] become partials[i].
  void (*join)(void* partials, const void* more, std::int64_t count);
  /// out[i] is the result, of `length` elements each.
  void (*finish)(const void* partials, std::int64_t count, std::int64_t length, void* out);
};

/// Of a type that reduce() takes.
ReduceLoops reduce_loops(ReduceOp op, DataType type);

}  // namespace ortool::cpu

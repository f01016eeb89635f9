// Binary elementwise operators: runs the row loops of the instruction set over the broadcast plan.
#include "kernels/cpu/elementwise/binary.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "kernels/cpu/elementwise/binary_rows.hpp"
#include "kernels/cpu/parallel/grain_size.hpp"
#include "kernels/cpu/types/fp16_bits.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t binary_block = 512;

RowResult row_of(Isa isa, BinaryOp op, NumberType type, const BinaryRow& row) {
  return binary_row_functions(isa).combine(op, type, row);
}

void row_of(Isa isa, Comparison comparison, NumberType type, const BinaryRow& row) {
  binary_row_functions(isa).compare(comparison, type, row);
}

/// The loop type for a data type that needs no conversion to float32.
NumberType number_type_of(DataType type) {
  switch (type) {
    case DataType::float32:
      return NumberType::float32;
    case DataType::float64:
      return NumberType::float64;
    case DataType::int8:
      return NumberType::int8;
    case DataType::int16:
      return NumberType::int16;
    case DataType::int32:
      return NumberType::int32;
    case DataType::int64:
      return NumberType::int64;
    case DataType::boolean:
    case DataType::uint8:
      return NumberType::uint8;
    case DataType::uint16:
      return NumberType::uint16;
    case DataType::uint32:
      return NumberType::uint32;
    case DataType::uint64:
      return NumberType::uint64;
    default:
      ORTOOL_CHECK(false && "no loop for this type");
  }
}

const void* advance(const void* from, std::int64_t bytes) {
  return static_cast<const char*>(from) + bytes;
}
void* advance(void* from, std::int64_t bytes) {
  return static_cast<char*>(from) + bytes;
}

/// The operand, 0 or 1, whose short rows repeat while the other is contiguous over the two
/// innermost loops, such as one factor per channel of an image in NCHWc; -1: none.
int tiled_operand(const BroadcastPlan& plan) {
  constexpr std::int64_t most_period = 64;
  constexpr std::int64_t enough_rows = 4;
  if (plan.loops.size() < 2) return -1;
  const BroadcastPlan::Loop& inner = plan.loops.back();
  const BroadcastPlan::Loop& outer = plan.loops[plan.loops.size() - 2];
  const bool is_short = inner.size > 1 && inner.size <= most_period && outer.size >= enough_rows;
  if (!is_short || inner.strides[0] != 1 || inner.strides[1] != 1) return -1;
  for (const int operand : {0, 1}) {
    if (outer.strides[operand] == 0 && outer.strides[1 - operand] == inner.size) return operand;
  }
  return -1;
}

/// The two innermost loops as one, in which the repeated operand does not move.
BroadcastPlan merged_rows(const BroadcastPlan& plan, int repeated) {
  BroadcastPlan merged = plan;
  merged.loops.pop_back();
  BroadcastPlan::Loop& inner = merged.loops.back();
  inner.size *= plan.loops.back().size;
  inner.strides[repeated] = 0;
  inner.strides[1 - repeated] = 1;
  return merged;
}

/// As for_rows, with copies of the repeated rows one after the other, so that one call of `row`
/// covers many of them.
template <typename Row>
void for_repeated_rows(const void* a, const void* b, void* out, std::int64_t bytes,
                       std::int64_t out_bytes, const BroadcastPlan& plan, int repeated,
                       Workers& workers, Row row) {
  const std::int64_t period = plan.loops.back().size;
  const std::int64_t whole = binary_block / period * period;
  const BroadcastPlan merged = merged_rows(plan, repeated);
  const std::int64_t span = merged.loops.back().size;
  const void* const contiguous = repeated == 0 ? b : a;
  const void* const rows = repeated == 0 ? a : b;
  workers.parallel_ranges(
      plan.count, elementwise_grain_size(plan.count), [&](std::int64_t begin, std::int64_t end) {
        alignas(64) std::byte copies[(binary_block + 64) * 8];
        walk_rows(
            merged, begin, end, [&](const auto& offsets, std::int64_t to, std::int64_t length) {
              const std::int64_t wanted = std::min(whole, length) + period;
              const auto period_bytes = static_cast<std::size_t>(period * bytes);
              for (std::int64_t i = 0; i < wanted; i += period)
                std::memcpy(copies + i * bytes, advance(rows, offsets[repeated] * bytes),
                            period_bytes);
              const void* const own = copies + to % span % period * bytes;
              for (std::int64_t i = 0; i < length; i += whole) {
                const void* const other = advance(contiguous, (offsets[1 - repeated] + i) * bytes);
                row(BinaryRow{.a = repeated == 0 ? own : other,
                              .b = repeated == 0 ? other : own,
                              .a_step = 1,
                              .b_step = 1,
                              .out = advance(out, (to + i) * out_bytes),
                              .count = std::min(whole, length - i)});
              }
            });
      });
}

/// Calls row(BinaryRow) for every range; elements of `a` and `b` have `bytes` bytes, those of `out`
/// `out_bytes`.
template <typename Row>
void for_rows(const void* a, const void* b, void* out, std::int64_t bytes, std::int64_t out_bytes,
              const BroadcastPlan& plan, Workers& workers, Row row) {
  const int repeated = tiled_operand(plan);
  if (repeated >= 0)
    return for_repeated_rows(a, b, out, bytes, out_bytes, plan, repeated, workers, row);
  const BroadcastPlan::Loop& inner = plan.loops.back();
  workers.parallel_ranges(
      plan.count, elementwise_grain_size(plan.count), [&](std::int64_t begin, std::int64_t end) {
        walk_rows(plan, begin, end, [&](const auto& offsets, std::int64_t to, std::int64_t length) {
          row(BinaryRow{.a = advance(a, offsets[0] * bytes),
                        .b = advance(b, offsets[1] * bytes),
                        .a_step = inner.strides[0],
                        .b_step = inner.strides[1],
                        .out = advance(out, to * out_bytes),
                        .count = length});
        });
      });
}

/// Splits the row into blocks whose operands are converted to floats on the stack: call(float row,
/// first element).
template <typename Half, typename Call>
void with_floats(const BinaryRow& row, Call call) {
  float a[binary_block];
  float b[binary_block];
  const Half* half_a = static_cast<const Half*>(row.a);
  const Half* half_b = static_cast<const Half*>(row.b);
  for (std::int64_t i = 0; i < row.count; i += binary_block) {
    const std::int64_t size = std::min(binary_block, row.count - i);
    convert_to_float(half_a + i * row.a_step, a, row.a_step == 0 ? 1 : size);
    convert_to_float(half_b + i * row.b_step, b, row.b_step == 0 ? 1 : size);
    call(BinaryRow{a, b, row.a_step, row.b_step, nullptr, size}, i);
  }
}

template <typename Half>
void half_row(Isa isa, BinaryOp op, const BinaryRow& row) {
  with_floats<Half>(row, [&](BinaryRow floats, std::int64_t first) {
    float result[binary_block];
    floats.out = result;
    const RowResult done = row_of(isa, op, NumberType::float32, floats);
    ORTOOL_CHECK(done == RowResult::done);
    convert_from_float(result, static_cast<Half*>(row.out) + first, floats.count);
  });
}

template <typename Half>
void half_row(Isa isa, Comparison comparison, const BinaryRow& row) {
  with_floats<Half>(row, [&](BinaryRow floats, std::int64_t first) {
    floats.out = static_cast<std::uint8_t*>(row.out) + first;
    row_of(isa, comparison, NumberType::float32, floats);
  });
}

}  // namespace

void binary(BinaryOp op, DataType type, const void* a, const void* b, void* out,
            const BroadcastPlan& plan, Workers& workers, Isa isa) {
  const std::int64_t bytes = element_bits(type) / 8;
  if (type == DataType::float16 || type == DataType::bfloat16) {
    for_rows(a, b, out, bytes, bytes, plan, workers, [&](const BinaryRow& row) {
      if (type == DataType::float16) return half_row<Float16Bits>(isa, op, row);
      half_row<BFloat16Bits>(isa, op, row);
    });
    return;
  }
  const NumberType number = number_type_of(type);
  for_rows(a, b, out, bytes, bytes, plan, workers, [&](const BinaryRow& row) {
    const RowResult result = row_of(isa, op, number, row);
    if (result == RowResult::divided_by_zero) {
      throw Error(ErrorCode::invalid, format("{} division by zero", name_of(type)),
                  "the divisor of integers must not contain 0");
    }
    ORTOOL_CHECK(result == RowResult::done);
  });
}

void compare(Comparison comparison, DataType type, const void* a, const void* b, bool* out,
             const BroadcastPlan& plan, Workers& workers, Isa isa) {
  const std::int64_t bytes = element_bits(type) / 8;
  const bool is_fp16 = type == DataType::float16 || type == DataType::bfloat16;
  const NumberType number = is_fp16 ? NumberType::float32 : number_type_of(type);
  for_rows(a, b, out, bytes, 1, plan, workers, [&](const BinaryRow& row) {
    if (!is_fp16) return row_of(isa, comparison, number, row);
    if (type == DataType::float16) return half_row<Float16Bits>(isa, comparison, row);
    half_row<BFloat16Bits>(isa, comparison, row);
  });
}

}  // namespace ortool::cpu

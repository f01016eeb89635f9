// Binary elementwise operators: runs the row loops of the instruction set over the broadcast plan.
#include "kernels/cpu/elementwise/binary.hpp"

#include <algorithm>

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

/// Calls row(BinaryRow) for every range; elements of `a` and `b` have `bytes` bytes, those of `out`
/// `out_bytes`.
template <typename Row>
void for_rows(const void* a, const void* b, void* out, std::int64_t bytes, std::int64_t out_bytes,
              const BroadcastPlan& plan, Workers& workers, Row row) {
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

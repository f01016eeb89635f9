// Quantized binary operators: partitions rows by size and runs the loop of the instruction set;
// short broadcast rows are first expanded to longer ones.
#include "kernels/cpu/elementwise/binary_int8.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/elementwise/binary_int8_fixed_point.hpp"
#include "kernels/cpu/elementwise/lookup_table.hpp"
#include "kernels/cpu/isa/architecture.hpp"
#include "kernels/cpu/isa/vbmi_features.hpp"

namespace ortool::cpu {

namespace {
constexpr std::int64_t bytes_a_task = 32768;
/// Broadcast rows are expanded if their length divides this number of bytes.
constexpr std::int64_t max_joined_bytes = 64;
/// Length of the expanded row.
constexpr std::int64_t repeated_bytes = 1024;

using FastFunction = std::int64_t (*)(const FixedPointBinary& binary);

/// A fixed-point function, null if it is not accurate enough, and the error of its values.
struct FastBinary {
  FastFunction run = nullptr;
  float error = 0.0F;
};

FastBinary fast_binary(Int8BinaryOp op, const Int8BinaryScales& scales, Isa isa) {
  const bool is_possible = isa >= Isa::avx2 && scales.a.scale > 0 && scales.b.scale > 0;
  if (!is_x86 || !is_possible || op == Int8BinaryOp::subtract) return {};
  constexpr float max_byte = 255.0F;
  const float a = max_byte * scales.a.scale;
  const float b = max_byte * scales.b.scale;
  const float largest = op == Int8BinaryOp::add ? std::max(a, b) : a * b;
  // Comparisons are false for NaN.
  if (!(largest < max_fast_number * scales.out)) return {};
  float error = fast_number_error;
  for (float bound = max_fast_number / 2; bound >= min_fast_number && largest < bound * scales.out;
       bound /= 2) {
    error /= 2;
  }
  constexpr float conversion_error = 1.0F;
  const bool has_vbmi = isa >= Isa::avx512 && has_avx512_vbmi();
  if (op == Int8BinaryOp::add)
    return {has_vbmi ? vbmi::add_bytes : avx2::add_bytes, error + conversion_error};
  return {has_vbmi ? vbmi::multiply_bytes : avx2::multiply_bytes, error + conversion_error};
}

/// The operand whose innermost row is repeated along the next loop, in which the other operand is
/// contiguous, as for channel blocks; -1: none.
int repeated_operand(const BroadcastPlan& plan) {
  if (plan.loops.size() < 2) return -1;
  const BroadcastPlan::Loop& inner = plan.loops.back();
  const BroadcastPlan::Loop& outer = plan.loops[plan.loops.size() - 2];
  const bool is_short = inner.size <= max_joined_bytes && max_joined_bytes % inner.size == 0;
  if (!is_short || inner.strides[0] != 1 || inner.strides[1] != 1) return -1;
  for (int operand = 0; operand < 2; ++operand) {
    if (outer.strides[operand] == 0 && outer.strides[1 - operand] == inner.size) return operand;
  }
  return -1;
}

/// The plan with its two innermost loops merged.
BroadcastPlan join_inner(const BroadcastPlan& plan, int repeated) {
  BroadcastPlan joined = plan;
  const BroadcastPlan::Loop inner = joined.loops.back();
  joined.loops.pop_back();
  BroadcastPlan::Loop& outer = joined.loops.back();
  outer.size *= inner.size;
  outer.strides[repeated] = 0;
  outer.strides[1 - repeated] = 1;
  return joined;
}

}  // namespace

void int8_binary(Int8BinaryOp op, const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out,
                 const Int8BinaryScales& scales, const BroadcastPlan& plan, Isa isa,
                 Workers& workers) {
  const QuantizeFunctions& functions = quantize_functions(isa);
  const BroadcastPlan::Loop& inner = plan.loops.back();
  const FastBinary fast = fast_binary(op, scales, isa);
  const auto compute = [&](const std::uint8_t* from_a, const std::uint8_t* from_b,
                           std::int64_t a_step, std::int64_t b_step, std::int64_t count,
                           std::uint8_t* to) {
    if (fast.run != nullptr && a_step == 1 && b_step == 1) {
      const FixedPointBinary binary{from_a,     from_b,     count,        scales.a,
                                    scales.b,   scales.out, scales.range, to,
                                    fast.error, op,         &functions};
      const std::int64_t done = fast.run(binary);
      if (done < count) binary.compute_exactly(done, count - done);
      return;
    }
    functions.binary(op, from_a, a_step, scales.a, from_b, b_step, scales.b, count, scales.out,
                     scales.range, to);
  };
  const int repeated = repeated_operand(plan);
  if (repeated < 0) {
    workers.parallel_ranges(plan.count, bytes_a_task, [&](std::int64_t begin, std::int64_t end) {
      walk_rows(plan, begin, end, [&](const auto& offsets, std::int64_t to, std::int64_t length) {
        compute(a + offsets[0], b + offsets[1], inner.strides[0], inner.strides[1], length,
                out + to);
      });
    });
    return;
  }
  const BroadcastPlan joined = join_inner(plan, repeated);
  const std::uint8_t* whole = repeated == 0 ? b : a;
  const std::uint8_t* part = repeated == 0 ? a : b;
  const std::size_t part_bytes = static_cast<std::size_t>(inner.size);
  // Task boundaries are multiples of the row length, since row lengths divide a task's bytes.
  workers.parallel_ranges(plan.count, bytes_a_task, [&](std::int64_t begin, std::int64_t end) {
    std::uint8_t many[repeated_bytes];
    walk_rows(joined, begin, end, [&](const auto& offsets, std::int64_t to, std::int64_t length) {
      const std::int64_t filled = std::min(repeated_bytes, length);
      for (std::int64_t i = 0; i < filled; i += inner.size)
        std::memcpy(many + i, part + offsets[repeated], part_bytes);
      const std::uint8_t* from = whole + offsets[1 - repeated];
      for (std::int64_t i = 0; i < length; i += repeated_bytes) {
        const std::int64_t count = std::min(repeated_bytes, length - i);
        compute(repeated == 0 ? many : from + i, repeated == 0 ? from + i : many, 1, 1, count,
                out + to + i);
      }
    });
  });
}

void byte_lookup(const std::uint8_t* in, const std::uint8_t* table, std::int64_t count,
                 std::uint8_t* out, Isa isa, Workers& workers) {
  workers.parallel_ranges(count, bytes_a_task, [&](std::int64_t begin, std::int64_t end) {
    if (is_x86 && isa >= Isa::avx2) {
      const LookupTableFunction look_up =
          isa >= Isa::avx512 && has_avx512_vbmi() ? vbmi::look_up_table : avx2::look_up_table;
      return look_up(in + begin, table, end - begin, out + begin);
    }
    for (std::int64_t i = begin; i < end; ++i) out[i] = table[in[i]];
  });
}

}  // namespace ortool::cpu

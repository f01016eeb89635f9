// Pieces of rows are cut by size and handed to the level's loop.
#include "kernels/cpu/byte_binary.hpp"

namespace ortool::cpu {

namespace {
constexpr std::int64_t bytes_a_task = 32768;
}  // namespace

void byte_binary(ByteBinary op, const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out,
                 const ByteBinaryScales& scales, const BroadcastPlan& plan, Isa isa,
                 Workers& workers) {
  const ByteRowFunctions& functions = byte_row_functions(isa);
  const BroadcastPlan::Loop& inner = plan.loops.back();
  workers.parallel_ranges(plan.count, bytes_a_task, [&](std::int64_t begin, std::int64_t end) {
    walk_rows(plan, begin, end, [&](const auto& offsets, std::int64_t to, std::int64_t length) {
      functions.binary(op, a + offsets[0], inner.strides[0], scales.a, b + offsets[1],
                       inner.strides[1], scales.b, length, scales.out, scales.range, out + to);
    });
  });
}

void byte_lookup(const std::uint8_t* in, const std::uint8_t* table, std::int64_t count,
                 std::uint8_t* out, Workers& workers) {
  workers.parallel_ranges(count, bytes_a_task, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) out[i] = table[in[i]];
  });
}

}  // namespace ortool::cpu

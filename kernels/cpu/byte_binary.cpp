// Pieces of rows are cut by size and handed to the level's loop.
#include "kernels/cpu/byte_binary.hpp"

#include <algorithm>

#include "kernels/cpu/byte_add.hpp"

namespace ortool::cpu {

namespace {
constexpr std::int64_t bytes_a_task = 32768;

/// Whether fixed point is fine enough for both operands. What is not a number is not below.
bool can_add_fast(const ByteBinaryScales& scales) {
  const float most = most_fast_addend * scales.out;
  return scales.a.scale > 0 && scales.b.scale > 0 && 255.0F * scales.a.scale < most &&
         255.0F * scales.b.scale < most;
}

/// A faster function as far as it goes, again and again; the level's own does the pieces between.
void add_row(ByteAdd add, const ByteRowFunctions& functions) {
  constexpr std::int64_t piece = 64;
  while (add.count > 0) {
    const std::int64_t added = amx_avx512::add_bytes(add);
    const std::int64_t rest = std::min(piece, add.count - added);
    functions.binary(ByteBinary::add, add.a + added, 1, add.a_scale, add.b + added, 1, add.b_scale,
                     rest, add.out_scale, add.range, add.out + added);
    add.a += added + rest;
    add.b += added + rest;
    add.out += added + rest;
    add.count -= added + rest;
  }
}

}  // namespace

void byte_binary(ByteBinary op, const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out,
                 const ByteBinaryScales& scales, const BroadcastPlan& plan, Isa isa,
                 Workers& workers) {
  const ByteRowFunctions& functions = byte_row_functions(isa);
  const BroadcastPlan::Loop& inner = plan.loops.back();
  const bool is_fast = isa >= Isa::amx && op == ByteBinary::add && inner.strides[0] == 1 &&
                       inner.strides[1] == 1 && can_add_fast(scales);
  workers.parallel_ranges(plan.count, bytes_a_task, [&](std::int64_t begin, std::int64_t end) {
    walk_rows(plan, begin, end, [&](const auto& offsets, std::int64_t to, std::int64_t length) {
      if (is_fast) {
        return add_row({a + offsets[0], b + offsets[1], length, scales.a, scales.b, scales.out,
                        scales.range, out + to},
                       functions);
      }
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

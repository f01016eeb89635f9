// Input copy: the first step of kernels that modify a copy of their first input.
#pragma once

#include "kernels/cpu/data_movement/copy_strided.hpp"
#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// Copies input 0 to output 0, unless they share memory already.
inline void copy_input(const Operand& input, const RunContext& run) {
  const auto* from = run.input<std::byte>(0);
  auto* to = run.output<std::byte>(0);
  if (from == to) return;
  constexpr std::int64_t piece = 65536;
  const std::int64_t bytes = bytes_of(input.type, input.shape.element_count());
  copy_rows(from, piece, to, piece, piece, bytes / piece, run.workers());
  const std::int64_t done = bytes / piece * piece;
  copy_rows(from + done, 0, to + done, 0, bytes - done, 1, run.workers());
}

}  // namespace ortool::cpu

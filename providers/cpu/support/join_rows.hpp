// Compile-time concatenation of lists of kernel rows.
#pragma once

#include <array>

#include "providers/cpu/kernel_list.hpp"

namespace ortool::cpu {

template <std::size_t... counts>
constexpr auto join_rows(const std::array<KernelRow, counts>&... lists) {
  std::array<KernelRow, (counts + ...)> all = {};
  std::size_t next = 0;
  const auto add = [&](const auto& list) {
    for (const KernelRow& row : list) all[next++] = row;
  };
  (add(lists), ...);
  return all;
}

}  // namespace ortool::cpu

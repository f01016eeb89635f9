// Which characters change with the case of letters, and by how much.
#pragma once

#include <cstdint>
#include <span>

namespace ortool {

/// Every `step`th character from `first` to `last` becomes itself plus `added`.
struct CaseRun {
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t step;
  std::int32_t added;
};

/// Sorted by `first`; runs with a step of 2 may have others between their characters.
std::span<const CaseRun> lower_case_runs();
std::span<const CaseRun> upper_case_runs();

}  // namespace ortool

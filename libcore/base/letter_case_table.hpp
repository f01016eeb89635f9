// Case mapping table: runs of characters and the offset to their counterparts.
#pragma once

#include <cstdint>
#include <span>

namespace ortool {

/// Each `step`th character from `first` to `last` maps to itself plus `added`.
struct CaseRun {
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t step;
  std::int32_t added;
};

/// Sorted by `first`; a run with step 2 may have other runs between its characters.
std::span<const CaseRun> lower_case_runs();
std::span<const CaseRun> upper_case_runs();

}  // namespace ortool

// Optimization levels by name.
#include "apps/ortool/report/level_names.hpp"

namespace ortool {

std::string_view name_of(OptimizeLevel level) {
  switch (level) {
    case OptimizeLevel::none:
      return "none";
    case OptimizeLevel::basic:
      return "basic";
    case OptimizeLevel::extended:
      return "extended";
    default:
      return "all";
  }
}

OptimizeLevel optimize_level(std::string_view name) {
  if (name == "none") return OptimizeLevel::none;
  if (name == "basic") return OptimizeLevel::basic;
  return name == "extended" ? OptimizeLevel::extended : OptimizeLevel::all;
}

}  // namespace ortool

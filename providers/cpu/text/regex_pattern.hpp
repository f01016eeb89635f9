// Regular expressions of nodes, compiled by RE2.
#pragma once

#include <memory>
#include <string>

namespace re2 {
class RE2;
}

namespace ortool::cpu {

using Pattern = std::unique_ptr<const re2::RE2>;

struct PatternOptions {
  bool ignores_case = false;
  bool takes_longest = false;  ///< of the matches at a place, rather than the first alternative
};

/// Throws ErrorCode::invalid for what is no pattern.
Pattern compile_pattern(const std::string& pattern, PatternOptions options = {});

}  // namespace ortool::cpu

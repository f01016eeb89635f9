// A rewrite rule: what it looks for, when it may act, and what it puts there.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/optimize/optimize_level.hpp"
#include "libcore/optimize/rewrite/match.hpp"
#include "libcore/optimize/rewrite/replacement.hpp"

namespace ortool {

/// Yes, or no with the reason in words for the user.
struct Verdict {
  bool is_yes = true;
  std::string reason;
};

inline Verdict yes() {
  return {};
}
inline Verdict no(std::string reason) {
  return {false, std::move(reason)};
}

/// How a rule or pass is shown to be right.
enum class Evidence {
  sampled,     ///< on cases and random graphs
  exhaustive,  ///< on every small shape and choice of what it moves, besides
};

/// The rewriter sees to it that values inside a match are read by nothing else, that the graph's
/// outputs stay, that names, types and shapes carry over, and that new nodes tell their ancestors.
struct Rule {
  std::string_view name;
  std::string_view summary;  ///< "x * sigmoid(x) -> Swish"
  OptimizeLevel level = OptimizeLevel::extended;
  Evidence evidence = Evidence::sampled;
  /// A session leaves it out: its kernels do better with what the rule would replace.
  bool is_for_files = false;
  /// It comes from a user's text, so nothing but a bound on its uses keeps it from going on without
  /// an end.
  bool is_users = false;
  Pattern pattern;
  /// The operators that `replace` adds and the model's opset may lack.
  std::vector<std::string_view> makes = {};
  /// Names of values inside the pattern that `replace` replaces as well, so that others may read
  /// them.
  std::vector<std::string_view> also_replaces = {};
  /// Whether it may act on a match; empty: always.
  std::function<Verdict(const Match&)> where = {};
  /// Makes what stands for the match's result: a value made by nodes it adds, or one that the match
  /// found.
  std::function<Value&(Replacement&)> replace;
};

}  // namespace ortool

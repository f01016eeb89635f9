// Rewrite rule: a pattern, a condition and a replacement.
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

/// Yes, or no with a reason for the user.
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

/// How a rule or pass is validated.
enum class Evidence {
  sampled,     ///< on test cases and random graphs
  exhaustive,  ///< also on every small shape and every choice of moved elements
};

/// The rewriter ensures that inner values of a match have no other consumers, that graph outputs
/// are kept, that names, types and shapes carry over, and that new nodes record their origins.
struct Rule {
  std::string_view name;
  std::string_view summary;  ///< "x * sigmoid(x) -> Swish"
  OptimizeLevel level = OptimizeLevel::extended;
  Evidence evidence = Evidence::sampled;
  /// Not used in a session: its kernels do better with the original nodes.
  bool is_for_files = false;
  /// From a user's rule file, so only a limit on its uses guarantees termination.
  bool is_users = false;
  Pattern pattern;
  /// The operators that `replace` adds and that the model's opset may lack.
  std::vector<std::string_view> makes = {};
  /// Names of inner values that `replace` also replaces, so that they may have other consumers.
  std::vector<std::string_view> also_replaces = {};
  /// Whether to act on a match; empty: always.
  std::function<Verdict(const Match&)> where = {};
  /// Creates the value that replaces the match's result: produced by added nodes, or found by the
  /// match.
  std::function<Value&(Replacement&)> replace;
};

}  // namespace ortool

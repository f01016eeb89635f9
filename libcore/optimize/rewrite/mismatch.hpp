// Match diagnostics: the mismatch that ended the most complete attempt.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/graph/node.hpp"
#include "libcore/optimize/rewrite/match.hpp"
#include "libcore/optimize/rewrite/pattern.hpp"

namespace ortool {

/// The extent of an unsuccessful match.
struct PartialMatch {
  std::vector<const Node*> nodes;  ///< those that match, the root first; may be empty
  std::string reason;              ///< what was found in place of what was expected
};

/// As find_match in match.hpp; without a match, `partial` describes the attempt that matched the
/// most nodes.
bool find_match(const Pattern& pattern, Node& root, Match& match, PartialMatch& partial);

/// Why a part of a pattern does not match a value.
enum class Mismatch {
  kind,        ///< another operator, not a constant, or another number
  attributes,  ///< the node fails the attribute test
  type,        ///< the value fails the type test
  name,        ///< the name is bound to another value
  inputs,      ///< the node has more or fewer inputs
};

/// Records the mismatch after the most matched nodes: the first such value, with everything that
/// was expected there.
class ClosestMismatch {
 public:
  void note(std::span<const Match::Member> members, const PatternPart& part, const Value& value,
            Mismatch why);
  PartialMatch partial_match() const;

 private:
  std::string expected() const;

  std::vector<const Node*> nodes_;
  std::vector<const PatternPart*> parts_;
  const Value* value_ = nullptr;
  Mismatch why_ = Mismatch::kind;
};

}  // namespace ortool

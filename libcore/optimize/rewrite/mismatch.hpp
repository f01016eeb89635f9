// What stopped a search for a pattern, on the way that led furthest.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/optimize/rewrite/match.hpp"
#include "libcore/optimize/rewrite/pattern.hpp"

namespace ortool {

/// How far a pattern was followed where it was not found.
struct PartialMatch {
  std::vector<const Node*> nodes;  ///< those that fit, the root first; empty: not even that one
  std::string reason;              ///< what stands where something else was expected
};

/// As find_match in match.hpp; where it does not find the pattern, `partial` tells of the way on
/// which most nodes fitted.
bool find_match(const Pattern& pattern, Node& root, Match& match, PartialMatch& partial);

/// Why a part of a pattern does not fit a value.
enum class Mismatch {
  kind,        ///< another operator, a computed value for a constant, another number
  attributes,  ///< the node fails the test of its attributes
  type,        ///< the value fails the test of its type
  name,        ///< the name stands for another value
  inputs,      ///< the node has more or fewer inputs
};

/// Keeps the mismatch behind which most nodes had fitted: the first such value, with all that was
/// expected there.
class FurthestMismatch {
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

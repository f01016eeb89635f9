// Finding a pattern in a graph, and what was found.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/optimize/rewrite/pattern.hpp"

namespace ortool {

/// A place of a graph that fits a pattern. Points into graph and pattern.
class Match {
 public:
  /// A node of the match.
  struct Member {
    Node* node;
    bool is_shared;  ///< its results may be read from outside
  };

  Graph& graph() const { return root().graph(); }
  /// The node at the end, whose output is what the match computes.
  Node& root() const { return *members_.front().node; }
  Value& result() const { return *result_; }
  /// The nodes it is made of, the root first.
  std::span<const Member> members() const { return members_; }
  bool holds(const Node* node) const;

  /// The value bound to a name, or null when that part was left out; "x.2": output 2 of x's node.
  Value* find(std::string_view name) const;
  /// The value bound to a name that must be.
  Value& operator[](std::string_view name) const;
  /// The node that makes it.
  Node& node(std::string_view name) const;
  /// The first element of the constant bound to a name.
  double number(std::string_view name) const;

  /// What is made shall be read by ortool alone; otherwise by others too, which know patterns of
  /// their own.
  bool has_own_operators = false;

 private:
  friend class Matcher;

  Value* result_ = nullptr;
  std::vector<Member> members_;
  std::vector<std::pair<std::string_view, Value*>> bindings_;
};

/// Looks for `pattern` with its end at `root`. Gives up after some thousand steps, so that the time
/// of one look is bounded.
bool find_match(const Pattern& pattern, Node& root, Match& match);

}  // namespace ortool

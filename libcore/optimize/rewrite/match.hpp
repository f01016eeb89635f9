// Pattern matching: finds a pattern in a graph, and gives access to the match.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/graph/node.hpp"
#include "libcore/optimize/rewrite/pattern.hpp"

namespace ortool {

/// A part of a graph that matches a pattern. Points into graph and pattern.
class Match {
 public:
  /// A node of the match.
  struct Member {
    Node* node;
    bool is_shared;  ///< its results may have other consumers
  };

  Graph& graph() const { return root().graph(); }
  /// The last node, whose output is the result of the match.
  Node& root() const { return *members_.front().node; }
  Value& result() const { return *result_; }
  /// The matched nodes, the root first.
  std::span<const Member> members() const { return members_; }
  bool holds(const Node* node) const;

  /// The value bound to a name, or null when that part is absent; "x.2": output 2 of x's node.
  Value* find(std::string_view name) const;
  /// The value bound to a name; it must exist.
  Value& operator[](std::string_view name) const;
  /// The producer of the named value.
  Node& node(std::string_view name) const;
  /// The first element of the constant bound to a name.
  double number(std::string_view name) const;

  /// The result is for ortool alone; otherwise other runtimes, which match patterns of their own,
  /// may read it too.
  bool has_own_operators = false;

 private:
  friend class Matcher;

  Value* result_ = nullptr;
  std::vector<Member> members_;
  std::vector<std::pair<std::string_view, Value*>> bindings_;
};

/// Matches `pattern` with its end at `root`. Gives up after a few thousand steps, to bound the time
/// of one attempt.
bool find_match(const Pattern& pattern, Node& root, Match& match);

}  // namespace ortool

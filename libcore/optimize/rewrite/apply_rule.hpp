// Rule application: checks and inserts a replacement, and removes dead nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/optimize/rewrite/rule.hpp"

namespace ortool {

/// The position of nodes in a changing graph: a new node takes the position of the one it replaces.
class NodeOrder {
 public:
  explicit NodeOrder(const Graph& graph);

  /// Whether the node is still in the graph; for nodes that once were.
  bool holds(const Node& node) const { return place_of(node) != nowhere; }
  /// Increases in node order; nodes created together share a position.
  std::int64_t place_of(const Node& node) const;
  void put(const Node& node, std::int64_t place);
  void remove(const Node& node) { put(node, nowhere); }

 private:
  static constexpr std::int64_t nowhere = -1;
  std::vector<std::int64_t> places_;  ///< by id
};

/// Applies `rule` to a match, which must be valid for the current graph.
class Application {
 public:
  Application(const Rule& rule, const Match& match, NodeOrder& order, bool has_own_operators);

  /// Yes when the graph was changed; otherwise it is as before, except for names that were used up.
  Verdict apply();
  /// The last node of the match, for reports.
  const std::string& node_name() const { return node_name_; }
  /// Values with a new producer or fewer consumers.
  const std::vector<Value*>& changed() const { return changed_; }
  /// The change in the size of constants.
  std::int64_t constant_bytes_added() const { return constant_bytes_added_; }

 private:
  Verdict check_operators() const;
  Verdict check_inner_values() const;
  bool is_replaced_too(const Value& value) const;
  Verdict check_uses(const Value& value) const;
  /// The new value's type must not contradict the old one's.
  static Verdict check_type(const Value& old_value, const Value& new_value);
  Verdict find_place(const Replacement& replacement);
  Verdict commit(Replacement& replacement, Value& result);
  std::string name_of_made(const Replacement& replacement, const Node& made) const;
  void give_origins(const Replacement& replacement) const;
  void remake(Node& producer, std::int64_t index, Value& value, std::string_view name);
  /// `old_value`, which has lost its producer, replaces `new_value`.
  void put_in(Value& old_value, Value& new_value, std::string_view name);
  /// An inner value of the match with outside consumers gets a new producer.
  void take_over(Value& inner, Value& made);
  void remove_unread(const std::vector<Node*>& nodes);
  void remove_constant(Value& constant);

  const Rule& rule_;
  const Match& match_;
  NodeOrder& order_;
  bool has_own_;
  Graph& graph_;
  std::string node_name_;
  Node* before_;  ///< insertion point of new nodes
  std::vector<Value*> changed_;
  std::int64_t constant_bytes_added_ = 0;
};

}  // namespace ortool

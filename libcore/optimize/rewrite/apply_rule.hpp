// One rule at one place: checked, put in, and the leftovers removed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/optimize/rewrite/rule.hpp"

namespace ortool {

/// Where nodes stand in a graph that changes: what is new stands where the node it replaces stood.
class NodeOrder {
 public:
  explicit NodeOrder(const Graph& graph);

  /// Whether the node is still in the graph; asked of nodes that were once.
  bool holds(const Node& node) const { return place_of(node) != nowhere; }
  /// Grows in the order of the nodes; nodes that were made together share a place.
  std::int64_t place_of(const Node& node) const;
  void put(const Node& node, std::int64_t place);
  void remove(const Node& node) { put(node, nowhere); }

 private:
  static constexpr std::int64_t nowhere = -1;
  std::vector<std::int64_t> places_;  ///< by id
};

/// Applies `rule` to a match, which must be of the graph as it is now.
class Application {
 public:
  Application(const Rule& rule, const Match& match, NodeOrder& order, bool has_own_operators);

  /// Yes when the graph was changed; otherwise it is as before, save for names that were used up.
  Verdict apply();
  /// The end of the match, as reports call it.
  const std::string& node_name() const { return node_name_; }
  /// Values that are made anew or read by fewer than before.
  const std::vector<Value*>& changed() const { return changed_; }
  /// What constants take now, less what they took before.
  std::int64_t constant_bytes_added() const { return constant_bytes_added_; }

 private:
  Verdict check_operators() const;
  Verdict check_inner_values() const;
  bool is_replaced_too(const Value& value) const;
  Verdict check_uses(const Value& value) const;
  /// What the new value says of its type must not contradict what the old one has.
  static Verdict check_type(const Value& old_value, const Value& new_value);
  Verdict find_place(const Replacement& replacement);
  Verdict commit(Replacement& replacement, Value& result);
  void give_origins(const Replacement& replacement) const;
  void remake(Node& maker, std::int64_t index, Value& value, std::string_view name);
  /// `old_value`, which nothing makes any more, takes the place of `new_value`.
  void put_in(Value& old_value, Value& new_value, std::string_view name);
  /// A value inside the match that others read goes on with a new maker.
  void take_over(Value& inner, Value& made);
  void remove_unread(const std::vector<Node*>& nodes);
  void remove_constant(Value& constant);

  const Rule& rule_;
  const Match& match_;
  NodeOrder& order_;
  bool has_own_;
  Graph& graph_;
  std::string node_name_;
  Node* before_;  ///< where new nodes go
  std::vector<Value*> changed_;
  std::int64_t constant_bytes_added_ = 0;
};

}  // namespace ortool

// Replacement: the nodes and constants that a rule substitutes for a match.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/copy_safe_variant.hpp"
#include "libcore/graph/node.hpp"
#include "libcore/optimize/rewrite/match.hpp"

namespace ortool {

/// The domain in which to write `op_type`: ONNX's own if the graph's opset has it, ortool's if
/// `has_own` allows it, nothing if neither has it.
const char* domain_for(std::string_view op_type, const Graph& graph, bool has_own);

/// An attribute of a node to be created.
struct NewAttribute {
  std::string name;
  CopySafeVariant<std::int64_t, float, std::string, std::vector<std::int64_t>> value;
};
using NewAttributes = std::vector<NewAttribute>;

/// The interface for a rule's replace(). Nodes are inserted before the end of the match; if the
/// rewriter rejects the result, they are removed again.
class Replacement {
 public:
  Replacement(const Match& match, bool has_own) : match_(match), has_own_(has_own) {}
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  const Match& match() const { return match_; }
  Graph& graph() const { return match_.graph(); }
  Value& operator[](std::string_view name) const { return match_[name]; }

  /// Adds a node of ONNX's or ortool's domain, whichever has the operator, and returns its only
  /// output. Inputs may be null. Throws if the node is invalid.
  Value& add(std::string_view op_type, std::vector<Value*> inputs, NewAttributes attributes = {});
  /// The same with several outputs.
  std::vector<Value*> add_many(std::string_view op_type, std::vector<Value*> inputs,
                               NewAttributes attributes, std::size_t outputs);
  /// A copy of `node`, which must not have subgraphs, with other inputs and some changed
  /// attributes.
  Value& add_like(const Node& node, std::vector<Value*> inputs, NewAttributes changed = {});
  Value& constant(Tensor tensor);
  Value& integers(std::vector<std::int64_t> values);
  /// Gives another value of the match a new producer; its name must be in Rule::also_replaces.
  void also_replace(std::string_view name, Value& by) { others_.emplace_back(&match_[name], &by); }

  /// A node outside the pattern whose work the new nodes do; it is removed when it has no consumers
  /// left.
  void stands_for(const Node& node) { replaced_.push_back(&node); }

  std::span<const Node* const> replaced() const { return replaced_; }
  std::span<Node* const> nodes() const { return nodes_; }
  std::span<const std::pair<Value*, Value*>> others() const { return others_; }
  bool made(const Value& value) const;
  /// The size of the constants added.
  std::int64_t constant_bytes() const;
  /// Removes everything added.
  void undo();

 private:
  /// Inserts the node after checking it and inferring its output types.
  std::vector<Value*> put(std::string_view op_type, std::string_view domain,
                          std::vector<Value*> inputs, std::vector<Attribute> attributes,
                          std::size_t outputs);

  const Match& match_;
  bool has_own_;
  std::vector<Node*> nodes_;
  std::vector<Value*> constants_;
  std::vector<const Node*> replaced_;
  std::vector<std::pair<Value*, Value*>> others_;
};

}  // namespace ortool

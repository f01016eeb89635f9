// Nodes and constants that a rule puts in the place of a match.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/copy_safe_variant.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/rewrite/match.hpp"

namespace ortool {

/// The domain to write `op_type` in: ONNX's own where the graph's opset has it, ortool's where
/// `has_own` allows that, nothing where neither can say it.
const char* domain_for(std::string_view op_type, const Graph& graph, bool has_own);

/// An attribute of a node to make.
struct NewAttribute {
  std::string name;
  CopySafeVariant<std::int64_t, float, std::string, std::vector<std::int64_t>> value;
};
using NewAttributes = std::vector<NewAttribute>;

/// What a rule's replace() works with. Nodes go before the end of the match; should the rewriter
/// not take the result, they go away again.
class Replacement {
 public:
  Replacement(const Match& match, bool has_own) : match_(match), has_own_(has_own) {}
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  const Match& match() const { return match_; }
  Graph& graph() const { return match_.graph(); }
  Value& operator[](std::string_view name) const { return match_[name]; }

  /// A node of ONNX's or ortool's domain, whichever can say it here; its only output. Inputs may be
  /// null. Throws what is wrong with the node.
  Value& add(std::string_view op_type, std::vector<Value*> inputs, NewAttributes attributes = {});
  /// The same with several outputs.
  std::vector<Value*> add_many(std::string_view op_type, std::vector<Value*> inputs,
                               NewAttributes attributes, std::size_t outputs);
  /// A node like `node`, which holds no graphs, with other inputs and some other attributes.
  Value& add_like(const Node& node, std::vector<Value*> inputs, NewAttributes changed = {});
  Value& constant(Tensor tensor);
  Value& integers(std::vector<std::int64_t> values);
  /// Another value of the match gets a new maker too; its name stands among Rule::also_replaces.
  void also_replace(std::string_view name, Value& by) { others_.emplace_back(&match_[name], &by); }

  /// A node outside the pattern whose work the new nodes do; it goes when nothing reads it any
  /// more.
  void stands_for(const Node& node) { replaced_.push_back(&node); }

  std::span<const Node* const> replaced() const { return replaced_; }
  std::span<Node* const> nodes() const { return nodes_; }
  std::span<const std::pair<Value*, Value*>> others() const { return others_; }
  bool made(const Value& value) const;
  /// What the constants that were added take.
  std::int64_t constant_bytes() const;
  /// Removes what was added.
  void undo();

 private:
  /// Puts the node in, checked and with the types of its outputs.
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

// Copies bodies: a function's for one call, with its attributes put in, or one that a node holds.
#pragma once

#include <span>
#include <string>
#include <unordered_map>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Attributes that refer to the function's own become what the call gives, else the function's
/// default, else are left out; inputs that the call leaves out are left out of the nodes that read
/// them. Constants share their bytes.
class BodyCopier {
 public:
  BodyCopier(const Function& function, const Node& call) : function_(&function), call_(&call) {}
  /// For a body that a node holds.
  BodyCopier() = default;

  /// The whole body, as a graph of its own; names stay.
  void copy_graph(const Graph& from, Graph& to);
  /// The body's nodes and values into the graph of the call, in front of the call, whose inputs
  /// they read; names begin with that of the call.
  void copy_nodes_before_call(Graph& to, Node& call);

  /// The nodes and values of a body that `holder` holds into the holder's graph, in front of it;
  /// the body's inputs are `inputs`, all of that graph. Names begin with `prefix`.
  void copy_nodes_before_holder(const Graph& body, Node& holder, std::span<Value* const> inputs,
                                const std::string& prefix);

  /// What stands for `value` in the copy.
  Value* copy_of(const Value& value) const { return copies_.at(&value); }

 private:
  void copy_node(const Node& node, Graph& to, Node* before, const std::string& prefix);
  void copy_attribute(const Attribute& attribute, Node& to);
  bool is_left_out(const Value& value) const;
  const Attribute* find(const std::string& name) const;

  const Function* function_ = nullptr;
  const Node* call_ = nullptr;
  std::unordered_map<const Value*, Value*> copies_;
};

}  // namespace ortool

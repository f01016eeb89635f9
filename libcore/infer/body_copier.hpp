// Copies a function's body for one call: attributes put in, left-out inputs left out.
#pragma once

#include <string>
#include <unordered_map>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Attributes that refer to the function's own become what the call gives, else the function's
/// default, else are left out; inputs that the call leaves out are left out of the nodes that read
/// them. Constants share their bytes.
class BodyCopier {
 public:
  BodyCopier(const Function& function, const Node& call) : function_(function), call_(call) {}

  /// The whole body, as a graph of its own; names stay.
  void copy_graph(const Graph& from, Graph& to);
  /// The body's nodes and values into the graph of the call, in front of the call, whose inputs
  /// they read; names begin with that of the call.
  void copy_nodes_before_call(Graph& to, Node& call);

  /// What stands for `value` in the copy.
  Value* copy_of(const Value& value) const { return copies_.at(&value); }

 private:
  void copy_node(const Node& node, Graph& to, Node* before, const std::string& prefix);
  void copy_attribute(const Attribute& attribute, Node& to);
  bool is_left_out(const Value& value) const;
  const Attribute* find(const std::string& name) const;

  const Function& function_;
  const Node& call_;
  std::unordered_map<const Value*, Value*> copies_;
};

}  // namespace ortool

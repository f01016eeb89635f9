// BodyCopier: copies the body of a function for one call, or the body that a node holds.
#pragma once

#include <span>
#include <string>
#include <unordered_map>

#include "libcore/graph/model.hpp"

namespace ortool {

/// References to function attributes are replaced by the values of the call, else by the function's
/// defaults, else they are dropped. Inputs that the call omits become omitted inputs. Constants
/// share their data.
class BodyCopier {
 public:
  BodyCopier(const Function& function, const Node& call) : function_(&function), call_(&call) {}
  /// For a body that a node holds.
  BodyCopier() = default;

  /// Copies the complete body as a separate graph; names stay.
  void copy_graph(const Graph& from, Graph& to);
  /// Copies the body's nodes and values into the caller's graph, before the call, reading the
  /// call's inputs. Their names get that of the call as prefix.
  void copy_nodes_before_call(Graph& to, Node& call);

  /// Copies the nodes and values of a body of `holder` into the holder's graph, before the holder.
  /// The body's inputs are replaced by `inputs`, all of that graph. Names start with `prefix`.
  void copy_nodes_before_holder(const Graph& body, Node& holder, std::span<Value* const> inputs,
                                const std::string& prefix);

  /// The copy of `value`.
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

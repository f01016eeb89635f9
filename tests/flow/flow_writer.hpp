// Writer of nested graphs, with values captured from outer graphs.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "tests/flow/copy_nodes.hpp"
#include "tests/flow/flow_plan.hpp"

namespace ortool::test {

/// A graph being written, with its enclosing graphs.
struct Scope {
  Graph* graph = nullptr;
  Scope* outer = nullptr;  ///< null: the main graph
  Node* inside = nullptr;  ///< the node whose bodies are being written; new nodes go before it
  std::map<Source, std::vector<Value*>> found;  ///< values of this graph that hold the source
  std::vector<ValueMap> fragments;              ///< for each fragment use: its values here
};

/// Adds nodes and inputs to scopes.
class FlowWriter {
 public:
  FlowWriter(RandomSource& dice, Scope& main) : dice_(dice), main_(main) {}

  RandomSource& dice() { return dice_; }
  FreshNames& names() { return names_; }
  const NamedValues& inputs() const { return inputs_; }

  /// The value as seen in `scope`, captured through each enclosing graph if needed.
  Value& reach(Scope& scope, Value& value);
  Value& add_node(Scope& scope, std::string_view op_type, std::vector<Value*> inputs,
                  std::vector<Attribute> attributes = {});
  /// A constant of this scope or an enclosing one, as seen in this scope.
  Value& constant(Scope& scope, const Tensor& tensor);
  /// A value that holds the source, as seen in `scope`: a model input or something derived from
  /// one.
  Value& find(Scope& scope, const Source& source);
  /// The input of that name, created on first use.
  Value& input(Scope& scope, const std::string& name, const Tensor& tensor);
  /// `value` as a graph output: produced by a node of this graph, and no other output of it.
  Value& as_output(Scope& scope, Value& value);

 private:
  Value& new_input(const Source& source);
  Value& derived(Scope& scope, Value& value, const Source& source);
  ValueType type_for(const Source& source);

  RandomSource& dice_;
  Scope& main_;
  FreshNames names_;
  NamedValues inputs_;
  std::map<std::string, Value*> named_;
  std::map<const Fragment*, std::string> prefixes_;
};

/// An attribute that holds one integer, or a list of them.
Attribute integer_attribute(std::string name, std::int64_t value);
Attribute integers_attribute(std::string name, std::vector<std::int64_t> values);

}  // namespace ortool::test

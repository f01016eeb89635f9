// Parser for graphs and nodes.
#pragma once

#include <string>
#include <vector>

#include "libcore/graph/node.hpp"
#include "libcore/graph/value_type.hpp"
#include "libcore/text/parse_attribute.hpp"
#include "libcore/text/scanner.hpp"

namespace ortool {

/// Parses graphs from `scanner`, which must outlive it. Names are resolved immediately; those of
/// enclosing graphs become captures. All functions throw ErrorCode::invalid with line and column.
class GraphParser {
 public:
  explicit GraphParser(Scanner& scanner);
  GraphParser(const GraphParser&) = delete;
  GraphParser& operator=(const GraphParser&) = delete;

  /// Parses `name (inputs) => (outputs) <declarations> {nodes}` into an empty graph. Nesting is
  /// limited.
  void graph_into(Graph& graph);

  /// Same without a name, for a function, whose inputs have no defaults.
  void function_body_into(Graph& body);

  /// Parses nodes up to a closing brace or the end.
  void nodes_into(Graph& graph);

 private:
  struct TypedName {
    std::string name;
    ValueType type;
  };

  TypedName typed_name();
  std::vector<TypedName> typed_names();
  Value& add_input(Graph& graph, TypedName input);
  /// Inputs may have a default: `(float[2] x = {1, 2})`.
  void inputs_into(Graph& graph);
  /// `<float[2] w = {1, 2}, float[N] y>`: initializers, and types of node outputs.
  void declarations(Graph& graph);
  void braced_nodes(Graph& graph);
  void add_outputs(Graph& graph, const std::vector<TypedName>& outputs);
  /// The value that `name` denotes in `graph`, captured from an enclosing graph if necessary.
  Value& find(Graph& graph, const std::string& name);
  Value* find_or_null(Graph& graph, const std::string& name);
  bool is_open(const Node& node) const;
  Value* make_output(Graph& graph, const std::string& name);
  void node_into(Graph& graph);

  Scanner& scanner_;
  GraphReader read_graph_;
  std::vector<const Node*> open_nodes_;  ///< nodes that are still being parsed
};

}  // namespace ortool

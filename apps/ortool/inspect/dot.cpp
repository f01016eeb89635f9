// Graphviz output: DOT, written while traversing the graphs.
#include "apps/ortool/inspect/dot.hpp"

#include <unordered_map>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/escape.hpp"
#include "libcore/base/strings/glob.hpp"
#include "libcore/graph/algorithms/captured.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/inspect/weights.hpp"

namespace ortool {
namespace {

constexpr std::size_t max_name_bytes = 80;
constexpr std::int64_t max_listed_constants = 4;

/// Escapes `text` for a quoted label: valid UTF-8, quotes and backslashes escaped.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : printable(shorten(text, max_name_bytes))) {
    if (character == '"' || character == '\\') result += '\\';
    result += character;
  }
  return result;
}

class DotWriter {
 public:
  DotWriter(const Model& model, std::string_view select, TextSink& out)
      : model_(model), select_(select), out_(out) {
    for (const Graph* graph : graphs_in(model)) numbers_.emplace(graph, numbers_.size());
  }

  void write();

 private:
  void write_graph(const Graph& graph, int depth);
  void write_node(const Node& node, const std::string& indent);
  void write_edges(const Graph& graph);
  void write_edge(const Value& from, const std::string& to);
  void write_cluster(const Graph& graph, std::string_view label, int depth);
  bool is_shown(const Node& node) const { return matches_glob(node.name(), select_); }
  std::string name_of_graph(const Graph& graph) const {
    return format("g{}", static_cast<std::int64_t>(numbers_.at(&graph)));
  }
  std::string name_of_node(const Node& node) const {
    return format("{}n{}", name_of_graph(node.graph()), node.id());
  }
  std::string name_of_input(const Value& value) const {
    return format("{}v{}", name_of_graph(value.graph()), value.id());
  }

  const Model& model_;
  const std::string_view select_;
  TextSink& out_;
  std::unordered_map<const Graph*, std::size_t> numbers_;
};

void DotWriter::write_node(const Node& node, const std::string& indent) {
  std::string label = escaped(node.op_type());
  if (!node.domain().empty()) label = escaped(node.domain()) + "." + label;
  label += "\\n" + escaped(node.name());
  std::int64_t listed = 0;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* input = node.input(i);
    if (input == nullptr || !is_stored(captured_root(*input))) continue;
    if (++listed > max_listed_constants) continue;
    const Tensor& tensor = captured_root(*input).constant();
    label += format("\\n{} [{}]", std::string(name_of(tensor.type())), tensor.shape().to_string());
  }
  if (listed > max_listed_constants) {
    label += format("\\nand {} more", listed - max_listed_constants);
  }
  out_ += format("{}{} [label=\"{}\"];\n", indent, name_of_node(node), label);
}

void DotWriter::write_edge(const Value& from, const std::string& to) {
  const Value& source = captured_root(from);
  std::string start;
  if (const Node* producer = source.producer()) {
    if (!is_shown(*producer)) return;
    start = name_of_node(*producer);
  } else if (source.is_graph_input() && !is_stored(source)) {
    start = name_of_input(source);
  } else {
    return;
  }
  out_ += format("  {} -> {} [label=\"{}\"];\n", start, to, escaped(source.type().to_string()));
}

void DotWriter::write_cluster(const Graph& graph, std::string_view label, int depth) {
  const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
  out_ += format("{}subgraph cluster_{} {\n", indent, name_of_graph(graph));
  out_ += format("{}  label=\"{}\";\n", indent, escaped(label));
  // An invisible point, so that edges can attach to an empty graph too.
  out_ += format("{}  {} [shape=point, label=\"\"];\n", indent, name_of_graph(graph));
  write_graph(graph, depth + 1);
  out_ += format("{}}\n", indent);
}

void DotWriter::write_graph(const Graph& graph, int depth) {
  const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
  for (const Value* input : graph.inputs()) {
    if (is_stored(*input)) continue;
    out_ += format("{}{} [shape=ellipse, label=\"{}\\n{}\"];\n", indent, name_of_input(*input),
                   escaped(input->name()), escaped(input->type().to_string()));
  }
  for (const Node& node : graph.nodes()) {
    if (!is_shown(node)) continue;
    write_node(node, indent);
    for (const Graph* inside : node.subgraphs()) {
      write_cluster(*inside, format("{} of {}", inside->name(), node.name()), depth);
    }
  }
  std::int64_t index = 0;
  for (const Value* output : graph.outputs()) {
    const std::string name = format("{}o{}", name_of_graph(graph), index++);
    out_ += format("{}{} [shape=ellipse, label=\"{}\\n{}\"];\n", indent, name,
                   escaped(output->name()), escaped(output->type().to_string()));
  }
}

void DotWriter::write_edges(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (!is_shown(node)) continue;
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      if (node.input(i) != nullptr) write_edge(*node.input(i), name_of_node(node));
    }
    for (const Graph* inside : node.subgraphs()) {
      out_ += format("  {} -> {} [style=dashed];\n", name_of_node(node), name_of_graph(*inside));
      write_edges(*inside);
    }
  }
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    write_edge(*graph.outputs()[i], format("{}o{}", name_of_graph(graph), i));
  }
}

void DotWriter::write() {
  out_ += format("digraph \"{}\" {\n", escaped(model_.graph->name()));
  out_ += "  rankdir=TB;\n  node [shape=box, fontsize=10];\n  edge [fontsize=8];\n";
  write_graph(*model_.graph, 1);
  for (const Function& function : model_.functions) {
    write_cluster(*function.body, format("function {}", function.name), 1);
  }
  // All edges come last and outside clusters: a node that an edge mentions inside one is drawn
  // in it.
  write_edges(*model_.graph);
  for (const Function& function : model_.functions) write_edges(*function.body);
  out_ += "}\n";
}

}  // namespace

void write_dot(const Model& model, std::string_view select, TextSink& out) {
  DotWriter(model, select, out).write();
}

}  // namespace ortool

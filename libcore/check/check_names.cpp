// Checks of names against ONNX's rules for each kind of name.
#include <unordered_set>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/utf8.hpp"
#include "libcore/check/checks.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

class NameChecker {
 public:
  explicit NameChecker(Findings& findings) : findings_(findings) {}

  void check_text(std::string_view name, std::string_view what, const std::string& node) {
    if (!is_valid_utf8(name)) {
      findings_.add("name.utf8", {node, shorten(name, 200)},
                    format("the {} {} is not valid UTF-8", what, quote(name)));
    }
    for (const char letter : name) {
      const auto code = static_cast<unsigned char>(letter);
      if (code >= 0x20 && code != 0x7f) continue;
      findings_.add("name.control", {node, shorten(name, 200)},
                    format("the {} {} contains control characters", what, quote(name)));
      return;
    }
  }

  void check_graph(const FileGraph& graph) {
    const bool is_main = graph.around == FileGraph::none && graph.function == FileGraph::none;
    if (is_main && graph.name.empty()) {
      findings_.add("name.graph", {}, "the main graph has no name");
    }
    check_text(graph.name, "graph name", {});
    for (const FileValue& input : graph.inputs) check_value(input.name, "graph input");
    for (const FileValue& output : graph.outputs) check_value(output.name, "graph output");
    for (const FileInitializer& initializer : graph.initializers) {
      check_value(initializer.name, "initializer");
    }
    std::unordered_set<std::string_view> node_names;
    for (const FileNode& node : graph.nodes) {
      if (!node.name.empty() && !node_names.insert(node.name).second) {
        findings_.add("name.node_repeated", {node.label(), {}},
                      format("another node of the graph has the name {}", quote(node.name)));
      }
      check_text(node.name, "node name", node.label());
      for (const std::string_view output : node.outputs) {
        check_text(output, "value name", node.label());
      }
    }
  }

 private:
  void check_value(std::string_view name, std::string_view what) {
    if (name.empty()) findings_.add("name.empty", {}, format("a {} has no name", what));
    check_text(name, what, {});
  }

  Findings& findings_;
};

}  // namespace

void check_names(const FileModel& model, Findings& findings) {
  NameChecker checker(findings);
  for (const FileGraph& graph : model.graphs) checker.check_graph(graph);
  for (const FileFunction& function : model.functions) {
    if (function.name.empty()) findings.add("name.empty", {}, "a function has no name");
    checker.check_text(function.domain, "domain", {});
  }
}

}  // namespace ortool

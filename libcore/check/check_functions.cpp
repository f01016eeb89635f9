// Checks of model-local functions: whether they are used, their imports and their attributes.
#include <set>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/check/checks.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

void check_references(const FileModel& model, Findings& findings) {
  std::vector<std::set<std::string_view>> used(model.functions.size());
  std::vector<std::set<std::string_view>> declared;
  for (const FileFunction& function : model.functions) {
    declared.emplace_back(function.attributes.begin(), function.attributes.end());
  }
  for (const FileGraph& graph : model.graphs) {
    for (const FileNode& node : graph.nodes) {
      for (const FileAttribute& attribute : node.attributes) {
        if (attribute.reference.empty()) continue;
        const Findings::Place place{node.label(), {}};
        if (graph.function == FileGraph::none) {
          findings.add("attribute.reference", place,
                       format("attribute {} takes its value from {} of a function, but is not "
                              "inside a function",
                              quote(attribute.name), quote(attribute.reference)));
          continue;
        }
        const FileFunction& function = model.functions[graph.function];
        const auto found = declared[graph.function].find(attribute.reference);
        if (found == declared[graph.function].end()) {
          findings.add(
              "function.attribute", place,
              format("attribute {} takes its value from {}, which function {} does not "
                     "have",
                     quote(attribute.name), quote(attribute.reference), quote(function.name)));
        } else {
          used[graph.function].insert(*found);
        }
      }
    }
  }
  for (std::size_t i = 0; i < model.functions.size(); ++i) {
    for (const std::string_view attribute : model.functions[i].attributes) {
      if (used[i].contains(attribute)) continue;
      findings.add("function.attribute_unused", {},
                   format("function {} never uses its attribute {}", quote(model.functions[i].name),
                          quote(attribute)));
    }
  }
}

}  // namespace

void check_functions_of(const FileModel& model, Findings& findings) {
  if (model.functions.empty()) {
    check_references(model, findings);
    return;
  }
  std::set<const FileFunction*> called;
  for (const FileGraph& graph : model.graphs) {
    for (const FileNode& node : graph.nodes) called.insert(model.find_function(node));
  }
  for (std::size_t i = 0; i < model.functions.size(); ++i) {
    const FileFunction& function = model.functions[i];
    const std::string name = quote(function.name);
    const auto first =
        model.function_places.find({function.domain, function.name, function.overload});
    if (first->second != i) {
      findings.add("function.repeated", {}, format("function {} is defined twice", name));
      continue;
    }
    if (!called.contains(&function)) {
      findings.add("function.unused", {}, format("no node calls function {}", name));
    }
    if (find_op(function.domain, function.name) != nullptr) {
      findings.add("function.hides", {},
                   format("function {} has the name of one of ONNX's own operators", name));
    }
    for (const auto& [domain, version] : function.versions) {
      const auto outside = model.versions.find(domain);
      if (outside == model.versions.end() || outside->second == version) continue;
      findings.add("function.opset", {},
                   format("function {} imports version {} of {} and the model version {}", name,
                          version, domain.empty() ? "ai.onnx" : shorten(domain), outside->second));
    }
  }
  check_references(model, findings);
}

}  // namespace ortool

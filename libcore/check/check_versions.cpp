// Checks of the IR version against the features used, and of the opset imports.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/check/checks.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

constexpr std::int64_t newest_ir_version = 14;

std::string shown_domain(std::string_view domain) {
  return domain.empty() ? "ai.onnx" : shorten(domain);
}

/// The IR version that introduced an element type. https://onnx.ai/onnx/intro/concepts.html
std::int64_t ir_version_of(DataType type) {
  switch (type) {
    case DataType::bfloat16:
      return 4;
    case DataType::float8e4m3fn:
    case DataType::float8e4m3fnuz:
    case DataType::float8e5m2:
    case DataType::float8e5m2fnuz:
      return 9;
    case DataType::uint4:
    case DataType::int4:
      return 10;
    case DataType::float4e2m1:
      return 11;
    case DataType::float8e8m0:
      return 12;
    case DataType::uint2:
    case DataType::int2:
      return 13;
    default:
      return 0;
  }
}

class FeatureChecker {
 public:
  FeatureChecker(const FileModel& model, Findings& findings) : model_(model), findings_(findings) {}

  void check() {
    if (!model_.functions.empty()) need(8, "functions");
    for (const FileFunction& function : model_.functions) {
      if (!function.overload.empty()) need(10, "overloads of functions");
    }
    for (const FileGraph& graph : model_.graphs) {
      for (const FileValue& value : graph.inputs) check_type(value.type);
      for (const FileValue& value : graph.outputs) check_type(value.type);
      for (const FileValue& value : graph.value_infos) check_type(value.type);
      for (const FileInitializer& initializer : graph.initializers) {
        if (initializer.is_sparse) need(6, "sparse initializers");
        check_element(initializer.element);
      }
    }
  }

 private:
  void check_element(DataType element) {
    need(ir_version_of(element), std::string(name_of(element)));
  }

  void check_type(const ValueType& type) {
    if (type.kind == ValueType::Kind::optional) need(8, "optional types");
    if (type.kind == ValueType::Kind::sparse_tensor) need(8, "sparse tensor types");
    for (const ValueType* each = &type; each != nullptr; each = each->inner.get()) {
      check_element(each->element);
    }
  }

  void need(std::int64_t version, const std::string& what) {
    if (model_.ir_version <= 0 || version <= model_.ir_version) return;
    findings_.add(
        "model.ir_feature", {},
        format("the model uses {}, introduced in IR version {}, but declares IR version {}", what,
               version, model_.ir_version));
  }

  const FileModel& model_;
  Findings& findings_;
};

/// The newest opset in the catalog for one of ONNX's own domains; 0 for other domains.
std::int64_t newest_of(std::string_view domain) {
  if (domain.empty()) return newest_opset;
  if (domain == "ai.onnx.ml") return 5;
  return domain.starts_with("ai.onnx.") ? 1 : 0;
}

void check_imports(std::span<const FileOpset> imports, const std::string& place,
                   Findings& findings) {
  std::map<std::string_view, std::int64_t> seen;
  for (const FileOpset& import : imports) {
    if (import.version < 1) {
      findings.add("opset.version", {},
                   format("{} imports domain {} in version {}", place, shown_domain(import.domain),
                          import.version));
    }
    const std::int64_t newest = newest_of(import.domain);
    if (newest > 0 && import.version > newest) {
      findings.add("opset.newer", {},
                   format("{} imports opset {} of {}; the newest one known is {}", place,
                          import.version, shown_domain(import.domain), newest));
    }
    const auto [entry, is_new] = seen.emplace(import.domain, import.version);
    if (is_new) continue;
    if (entry->second == import.version) {
      findings.add("opset.doubled", {},
                   format("{} imports domain {} twice", place, shown_domain(import.domain)));
    } else {
      findings.add("opset.repeated", {},
                   format("{} imports domain {} in versions {} and {}", place,
                          shown_domain(import.domain), entry->second, import.version));
    }
  }
}

/// Reports domains used without an import, and imports that no node uses.
void check_use(const FileModel& model, Findings& findings) {
  // Scope (main graph or function) and domain.
  std::set<std::pair<std::size_t, std::string_view>> used;
  for (const FileGraph& graph : model.graphs) {
    for (const FileNode& node : graph.nodes) {
      if (!used.emplace(graph.function, node.domain).second) continue;
      if (model.opset(graph, node.domain) != 0 || model.find_function(node) != nullptr) continue;
      const bool has_imports = graph.function != FileGraph::none || !model.opsets.empty();
      if (!has_imports && node.domain.empty()) continue;  // reported by "opset.none"
      findings.add(
          "opset.missing", {node.label(), {}},
          format("the node is of domain {}, which {} does not import", shown_domain(node.domain),
                 graph.function == FileGraph::none ? "the model" : "its function"));
    }
  }
  for (const FileOpset& import : model.opsets) {
    const bool is_of_function =
        std::any_of(model.functions.begin(), model.functions.end(),
                    [&](const FileFunction& each) { return each.domain == import.domain; });
    if (used.contains({FileGraph::none, import.domain}) || is_of_function) continue;
    findings.add(
        "opset.unused", {},
        format("no node is of domain {}, which the model imports", shown_domain(import.domain)));
  }
}

}  // namespace

void check_versions(const FileModel& model, Findings& findings) {
  if (model.ir_version < 0) {
    findings.add("model.ir_version", {}, format("IR version {} does not exist", model.ir_version));
  } else if (model.ir_version == 0) {
    findings.add("model.ir_missing", {}, "the model has no IR version");
  } else if (model.ir_version > newest_ir_version) {
    findings.add("model.ir_newer", {},
                 format("the model is of IR version {}, newer than the {} known", model.ir_version,
                        newest_ir_version));
  }
  if (model.opsets.empty() && model.ir_version >= 3) {
    findings.add("opset.none", {}, "the model imports no opset; version 1 is assumed");
  }
  FeatureChecker(model, findings).check();
  check_imports(model.opsets, "the model", findings);
  for (const FileFunction& function : model.functions) {
    check_imports(function.opsets, "function " + quote(function.name), findings);
  }
  check_use(model, findings);
  std::set<std::string_view> keys;
  for (const std::string_view key : model.metadata_keys) {
    if (keys.insert(key).second) continue;
    findings.add("model.metadata", {}, format("the metadata has the key {} twice", quote(key)));
  }
}

}  // namespace ortool

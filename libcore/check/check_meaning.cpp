// Checks of the loaded model: schema validation of each node, then inference against declarations.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/check/checks.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/check_node.hpp"
#include "libcore/ops/early_use.hpp"

namespace ortool {
namespace {

bool has_reference(const Node& node) {
  return std::any_of(node.attributes().begin(), node.attributes().end(),
                     [](const Attribute& attribute) { return !attribute.reference.empty(); });
}

/// Calls `body` for every node of the model that is not a function call.
template <typename Body>
void each_operator(const Model& model, const Body& body) {
  std::vector<const Graph*> open = {model.graph.get()};
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> functions;
  for (const Function& function : model.functions) {
    open.push_back(function.body.get());
    functions.emplace(function.domain, function.name, function.overload);
  }
  while (!open.empty()) {
    const Graph& graph = *open.back();
    open.pop_back();
    for (const Node& node : graph.nodes()) {
      for (const Graph* inside : node.subgraphs()) open.push_back(inside);
      if (!functions.contains({node.domain(), node.op_type(), node.overload()})) body(node);
    }
  }
}

/// Checks that operands with the same type parameter have the same element type.
class TypeParameters {
 public:
  TypeParameters(const Node& node, const OpVersion& version, Findings& findings)
      : node_(node), version_(version), findings_(findings) {}

  void check() {
    for (std::int64_t i = 0; i < node_.input_count(); ++i) {
      take(node_.input(i), OpVersion::formal_at(version_.inputs, i));
    }
    for (std::int64_t i = 0; i < node_.output_count(); ++i) {
      take(node_.output(i), OpVersion::formal_at(version_.outputs, i));
    }
  }

 private:
  void take(const Value* value, const Formal* formal) {
    if (value == nullptr || formal == nullptr || !formal->is_homogeneous) return;
    const ValueType& type = value->type();
    if (!type.is_tensor() || type.element == DataType::undefined) return;
    const auto [first, is_new] = bound_.emplace(formal->type, value);
    if (is_new || first->second->type().element == type.element) return;
    findings_.add("node.type_mismatch",
                  {format("'{}' ({})", node_.name(), node_.op_type()), std::string(value->name())},
                  format("{} is {} and {} is {}, but the operator requires the same type for both",
                         quote(first->second->name()), name_of(first->second->type().element),
                         quote(value->name()), name_of(type.element)));
  }

  const Node& node_;
  const OpVersion& version_;
  Findings& findings_;
  std::map<std::string_view, const Value*> bound_;
};

/// Reports what runtimes accept nevertheless: an output with a type that this version of the
/// operator does not allow.
void check_output_types(const Node& node, const OpVersion& version, Findings& findings) {
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    const Formal* formal = OpVersion::formal_at(version.outputs, i);
    if (node.output(i) == nullptr || formal == nullptr) continue;
    const ValueType& type = node.output(i)->type();
    const bool is_told = type.is_tensor() && type.element != DataType::undefined;
    if (!is_told || version.allowed(formal->type).may_contain(type)) continue;
    findings.add(
        "node.output_type",
        {format("'{}' ({})", node.name(), node.op_type()), std::string(node.output(i)->name())},
        format("output {} ('{}') is {}, which version {} of the operator does not produce", i,
               formal->name, name_of(type.element), version.since));
  }
}

/// Finds values that are too large for any memory before the model runs.
void check_sizes(const Model& model, Findings& findings) {
  for (const Value* value : model.graph->values()) {
    const ValueType& type = value->type();
    const auto shape = type.is_tensor() ? to_known(type.shape) : std::nullopt;
    if (!shape || type.element == DataType::undefined) continue;
    try {
      static_cast<void>(bytes_of(type.element, shape->element_count()));
    } catch (const Error& error) {
      findings.add(
          "value.size", {{}, std::string(value->name())},
          format("{} of shape {}: {}", quote(value->name()), shape->to_string(), error.message()));
    }
  }
}

}  // namespace

void check_meaning(const Model& model, const StopToken& stop, Findings& findings) {
  each_operator(model, [&](const Node& node) {
    stop.poll();
    const OpEntry* entry = find_op(node.domain(), node.op_type());
    if (entry == nullptr || version_of(*entry, node) == nullptr || has_reference(node)) return;
    if (findings.has_error_at(format("'{}' ({})", node.name(), node.op_type()))) return;
    findings.collect([&] { check_node(node); });
    const std::optional<EarlyUse> early = early_use(node);
    // The other operator check reports those.
    if (!early || early->is_operator) return;
    findings.add("node.attribute.early", {format("'{}' ({})", node.name(), node.op_type()), {}},
                 early->describe());
  });
}

void check_shapes(Model& model, Findings& findings) {
  const std::size_t earlier_warnings = model.warnings.size();
  if (!findings.collect([&] { infer_shapes(model); })) return;
  for (std::size_t i = earlier_warnings; i < model.warnings.size(); ++i) {
    findings.add("value.shape", {}, model.warnings[i]);
  }
  model.warnings.resize(earlier_warnings);
  check_sizes(model, findings);
  each_operator(model, [&](const Node& node) {
    const OpEntry* entry = find_op(node.domain(), node.op_type());
    const OpVersion* version = entry != nullptr ? version_of(*entry, node) : nullptr;
    if (version == nullptr) return;
    TypeParameters(node, *version, findings).check();
    check_output_types(node, *version, findings);
  });
}

}  // namespace ortool

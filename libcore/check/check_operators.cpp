// Checks of the file's nodes against the catalog's schemas, reporting every deviation.
#include <algorithm>
#include <set>
#include <unordered_set>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/check/checks.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/foreign_operators.hpp"

namespace ortool {
namespace {

bool is_of_onnx(std::string_view domain) {
  return domain.empty() || domain.starts_with("ai.onnx.");
}

std::string expected(std::int64_t fewest, std::int64_t most) {
  if (fewest == most) return format("{}", fewest);
  return most >= (std::int64_t{1} << 31) ? format("at least {}", fewest)
                                         : format("{} to {}", fewest, most);
}

class OperatorChecker {
 public:
  OperatorChecker(const FileModel& model, Findings& findings)
      : model_(model), findings_(findings) {}

  void check(const FileGraph& graph, const FileNode& node) {
    node_ = &node;
    if (node.op_type.empty()) {
      add("node.no_operator", "the node has no operator type");
      return;
    }
    check_repeated_attributes();
    if (const FileFunction* function = model_.find_function(node)) {
      check_call(model_.graphs[function->graph]);
      return;
    }
    const std::int64_t opset = model_.opset(graph, node.domain);
    const OpEntry* entry = find_op(node.domain, node.op_type);
    if (entry == nullptr) {
      report_unknown(opset);
      return;
    }
    const bool has_imports = graph.function != FileGraph::none || !model_.opsets.empty();
    const std::int64_t used = opset == 0 && node.domain.empty() && !has_imports ? 1 : opset;
    const OpVersion* version = entry->schema->accepted_at(used);
    if (entry->schema->is_early_at(used)) {
      add("node.operator.early",
          format(
              "operator {} is used in opset {}, and {}", node.op_type, used,
              entry->schema->versions.size() == 0
                  ? std::string("ONNX has no operator of that name")
                  : format("was introduced in opset {}", entry->schema->versions.begin()->since)));
    }
    if (version == nullptr) {
      if (opset == 0) return;  // reported by "opset.missing"
      add("node.operator.unknown",
          format("operator {} is newer than opset {}", node.op_type, opset));
    } else if (version->is_deprecated) {
      add("node.operator.deprecated",
          format("operator {} was removed in opset {} (the model imports {})", node.op_type,
                 version->since, opset));
    } else {
      check_version(*version);
    }
  }

 private:
  void add(std::string_view rule, std::string message) {
    findings_.add(rule, {node_->label(), {}}, std::move(message));
  }

  void report_unknown(std::int64_t opset) {
    const ForeignOperator* foreign = find_foreign_operator(node_->domain, node_->op_type);
    if (foreign != nullptr) {
      add("node.operator.foreign",
          format("operator {}.{} runs elsewhere only: {}; {}", foreign->domain, foreign->name,
                 foreign->reason, foreign->advice));
    } else if (!is_of_onnx(node_->domain)) {
      if (!unknown_domains_.insert(node_->domain).second) return;
      add("domain.unknown",
          format("the model holds no functions of domain {} and ortool knows none of its operators",
                 quote(node_->domain)));
    } else if (opset > newest_opset) {
      add("node.operator.newer",
          format("operator {} is unknown, and opset {} is newer than the known ones",
                 shorten(node_->op_type), opset));
    } else {
      add("node.operator.unknown",
          format("domain {} has no operator {}", node_->domain.empty() ? "ai.onnx" : node_->domain,
                 shorten(node_->op_type)));
    }
  }

  void check_call(const FileGraph& body) {
    if (node_->inputs.size() > body.inputs.size()) {
      add("node.arity", format("has {} inputs (its function takes {})", node_->inputs.size(),
                               body.inputs.size()));
    }
    if (node_->outputs.size() > body.outputs.size()) {
      add("node.arity", format("has {} outputs (its function has {})", node_->outputs.size(),
                               body.outputs.size()));
    }
  }

  void check_repeated_attributes() {
    std::unordered_set<std::string_view> names;
    for (const FileAttribute& attribute : node_->attributes) {
      if (names.insert(attribute.name).second) continue;
      add("attribute.repeated", format("attribute {} is given twice", quote(attribute.name)));
    }
  }

  void check_version(const OpVersion& version) {
    check_count("inputs", node_->inputs, version, version.inputs);
    check_count("outputs", node_->outputs, version, version.outputs);
    const auto fewest = static_cast<std::size_t>(version.fewest(version.inputs));
    for (std::size_t i = 0; i < std::min(fewest, node_->inputs.size()); ++i) {
      const Formal* formal = OpVersion::formal_at(version.inputs, static_cast<std::int64_t>(i));
      if (!node_->inputs[i].empty() || formal == nullptr ||
          formal->count != Formal::Count::single) {
        continue;
      }
      add("node.arity", format("input {} ('{}') is left out, but is required", i, formal->name));
    }
    for (const FileAttribute& attribute : node_->attributes) {
      const AttributeSpec* spec = version.find_attribute(attribute.name);
      if (spec == nullptr && version.takes_any_attribute) continue;
      if (spec == nullptr) {
        add("node.attribute.unknown",
            format("attribute {} does not exist in version {} of the operator",
                   quote(attribute.name), version.since));
      } else if (attribute.kind != AttributeKind::undefined && attribute.kind != spec->kind) {
        add("node.attribute.kind",
            format("attribute {} is of kind {} (expected {})", quote(attribute.name),
                   name_of(attribute.kind), name_of(spec->kind)));
      }
    }
    for (const AttributeSpec& spec : version.attributes) {
      const bool is_given =
          std::any_of(node_->attributes.begin(), node_->attributes.end(),
                      [&](const FileAttribute& attribute) { return attribute.name == spec.name; });
      if (spec.is_required && !is_given) {
        add("node.attribute.missing",
            format("attribute '{}' is missing, but is required", spec.name));
      }
    }
  }

  template <typename Formals>
  void check_count(std::string_view what, const std::vector<std::string_view>& operands,
                   const OpVersion& version, const Formals& formals) {
    const auto found = static_cast<std::int64_t>(operands.size());
    if (found >= version.fewest(formals) && found <= version.most(formals)) return;
    add("node.arity", format("has {} {} (expected {})", found, what,
                             expected(version.fewest(formals), version.most(formals))));
  }

  const FileModel& model_;
  Findings& findings_;
  const FileNode* node_ = nullptr;
  std::set<std::string_view> unknown_domains_;
};

}  // namespace

void check_operators(const FileModel& model, const StopToken& stop, Findings& findings) {
  OperatorChecker checker(model, findings);
  for (const FileGraph& graph : model.graphs) {
    for (const FileNode& node : graph.nodes) {
      stop.poll();
      checker.check(graph, node);
    }
  }
}

}  // namespace ortool

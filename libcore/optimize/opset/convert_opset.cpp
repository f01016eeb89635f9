// Opset conversion version by version; collects all failures and reports them together.
#include "libcore/optimize/opset/convert_opset.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/attribute_default.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/check_node.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/early_use.hpp"
#include "libcore/optimize/opset/opset_adapters.hpp"

namespace ortool {
namespace {

std::vector<Node*> own_nodes(Model& model) {
  std::vector<Node*> nodes;
  for (Graph* graph : graphs_in(*model.graph)) {
    for (Node& node : graph->nodes()) {
      if (node.domain().empty()) nodes.push_back(&node);
    }
  }
  return nodes;
}

/// The default of an attribute as an explicit attribute; nothing when it has none.
std::optional<Attribute> default_of(const AttributeSpec& spec) {
  Attribute attribute;
  attribute.name = spec.name;
  const AttributeDefault& value = spec.default_value;
  if (value.kind == AttributeKind::integer) {
    attribute.value = value.integer;
  } else if (value.kind == AttributeKind::float_number) {
    attribute.value = value.number;
  } else if (value.kind == AttributeKind::string) {
    attribute.value = std::string(value.string);
  } else {
    return std::nullopt;
  }
  return attribute;
}

bool are_equal(const AttributeDefault& a, const AttributeDefault& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == AttributeKind::string) return std::string_view(a.string) == b.string;
  return a.integer == b.integer && !(a.number < b.number) && !(b.number < a.number);
}

/// An omitted attribute has the same meaning on both sides only if the defaults are equal.
void write_defaults(Node& node, const OpVersion& from, const OpVersion& to) {
  for (const AttributeSpec& spec : from.attributes) {
    const AttributeSpec* other = to.find_attribute(spec.name);
    if (other == nullptr || node.find_attribute(spec.name) != nullptr) continue;
    if (are_equal(spec.default_value, other->default_value)) continue;
    if (std::optional<Attribute> attribute = default_of(spec))
      node.set_attribute(std::move(*attribute));
  }
}

/// Before opset 6 an attribute said which inputs may be overwritten; it does not affect results.
void drop_memory_hint(Node& node, const OpVersion* to) {
  if (to != nullptr && to->find_attribute("consumed_inputs") == nullptr)
    node.remove_attribute("consumed_inputs");
}

/// The first opset without experimental operators.
constexpr std::int64_t opset_without_experiments = 10;
/// The length of a list within an error message, which is limited to 1 kB.
constexpr std::size_t max_list_bytes = 600;

class OpsetConversion {
 public:
  OpsetConversion(Model& model, std::int64_t target)
      : model_(model), source_(model.opset("")), target_(target) {}

  void run() {
    for (const Node* node : own_nodes(model_)) {
      if (early_use(*node)) early_nodes_.emplace(node->name());
    }
    for (Node* node : own_nodes(model_)) {
      const std::string name(node->name());
      const std::string op_type(node->op_type());
      try {
        target_ > source_ ? raise(*node) : lower(*node);
      } catch (const Error& error) {
        block(name, op_type, error);
      }
    }
    block_other_domains();
    OpsetImports opsets = model_.graph->opsets();
    opsets[""] = target_;
    model_.graph->set_opsets(std::move(opsets));
    check();
    if (!blockers_.empty()) throw_blockers();
    model_.ir_version = std::max(model_.ir_version, ir_version_of_opset(target_));
  }

 private:
  /// Operators of a domain that repeats ONNX's have ONNX's versions.
  void block_other_domains() {
    for (const Graph* graph : graphs_in(std::as_const(*model_.graph))) {
      for (const Node& node : graph->nodes()) {
        if (node.domain() != provider_nhwc_domain) continue;
        block(std::string(node.name()), std::string(node.op_type()),
              Error(ErrorCode::unsupported, format("the version of the domain {} is that of ONNX's",
                                                   provider_nhwc_domain)));
      }
    }
  }

  void block(const std::string& name, const std::string& op_type, const Error& error) {
    blockers_.push_back(Error(ErrorCode::unsupported, error.message())
                            .at_node(name, op_type)
                            .with_id("opset.blocked"));
  }

  /// The operator's name may change on the way, as Upsample's does.
  void raise(Node& first) {
    Node* node = &first;
    for (std::int64_t version = source_ + 1; version <= target_; ++version) {
      const OpEntry* entry = find_op("", node->op_type());
      if (entry == nullptr) return;
      const OpVersion* before = entry->schema->at(version - 1);
      const OpVersion* after = entry->schema->at(version);
      const OpsetStep* step = find_opset_step(node->op_type(), version);
      // A withdrawn operator has no version after its last one.
      if (before == after && step == nullptr) continue;
      drop_memory_hint(*node, after);
      if (step != nullptr && step->up != nullptr) {
        node = &step->up(*node);
      } else if (before != nullptr && after != nullptr) {
        write_defaults(*node, *before, *after);
      }
    }
  }

  void lower(Node& first) {
    Node* node = &first;
    for (std::int64_t version = source_; version > target_; --version) {
      const OpEntry* entry = find_op("", node->op_type());
      if (entry == nullptr) return;
      const OpVersion* before = entry->schema->at(version);
      const OpVersion* after = entry->schema->at(version - 1);
      if (before == after) continue;
      const OpsetStep* step = find_opset_step(node->op_type(), version);
      if (step != nullptr && step->down != nullptr) {
        node = &step->down(*node);
      } else if (before != nullptr && after != nullptr) {
        write_defaults(*node, *before, *after);
        drop_newer_defaults(*node, *before, *after);
      }
    }
  }

  /// Attributes that the older version lacks may be dropped when they state its fixed behavior.
  static void drop_newer_defaults(Node& node, const OpVersion& from, const OpVersion& to) {
    for (const AttributeSpec& spec : from.attributes) {
      const Attribute* given = node.find_attribute(spec.name);
      if (given == nullptr || to.find_attribute(spec.name) != nullptr) continue;
      if (has_default_value(node, *given)) node.remove_attribute(spec.name);
    }
  }

  /// The gate checks whether a form exists: arity, attributes, types.
  void check() {
    for (const Node* node : own_nodes(model_)) {
      const OpEntry* entry = find_op("", node->op_type());
      const bool is_told = std::any_of(blockers_.begin(), blockers_.end(), [&](const Error& each) {
        return each.node().find(format("'{}'", node->name())) != std::string::npos;
      });
      if (is_told) continue;
      if (target_ >= opset_without_experiments && has_trait(*node, OpTrait::withdrawn)) {
        block(std::string(node->name()), std::string(node->op_type()),
              Error(ErrorCode::unsupported, "the operator was removed in opset 10"));
        continue;
      }
      const OpVersion* version = entry != nullptr ? version_of(*entry, *node) : nullptr;
      if (entry != nullptr && (version == nullptr || version->is_deprecated)) {
        block(std::string(node->name()), std::string(node->op_type()),
              Error(ErrorCode::unsupported,
                    version == nullptr
                        ? format("the operator was introduced in opset {}",
                                 entry->schema->versions.begin()->since)
                        : format("the operator was removed in opset {}", version->since)));
        continue;
      }
      try {
        check_node(*node);
        // Early uses that existed before may stay; none may be introduced.
        const std::optional<EarlyUse> early = early_use(*node);
        if (early && !early_nodes_.contains(node->name())) {
          throw Error(ErrorCode::unsupported,
                      early->is_operator
                          ? format("the operator was introduced in opset {}", early->since)
                          : early->describe());
        }
      } catch (const Error& error) {
        block(std::string(node->name()), std::string(node->op_type()), error);
      }
    }
  }

  [[noreturn]] void throw_blockers() const {
    std::string list;
    for (std::size_t i = 0; i < blockers_.size(); ++i) {
      const std::string text = format("{}: {}", blockers_[i].node(), blockers_[i].message());
      if (i > 0 && list.size() + text.size() > max_list_bytes) {
        list += format(" and {} more", blockers_.size() - i);
        break;
      }
      list += (i > 0 ? ", " : "") + text;
    }
    Error error(ErrorCode::unsupported,
                format("{} of its nodes cannot be converted to opset {}: {}", blockers_.size(),
                       target_, list),
                format("{} lists all of them under errors", setting_name("json")));
    error.with_id("opset.blocked");
    for (const Error& blocker : blockers_) error.add_part(blocker);
    throw error;
  }

  Model& model_;
  std::int64_t source_;
  std::int64_t target_;
  std::set<std::string, std::less<>> early_nodes_;  ///< names
  std::vector<Error> blockers_;
};

}  // namespace

std::int64_t ir_version_of_opset(std::int64_t opset) {
  // The first opset of each IR version from 3 on.
  constexpr std::array<std::int64_t, 12> first_opsets = {1,  9,  10, 11, 12, 15,
                                                         19, 21, 23, 24, 25, 28};
  std::int64_t version = 2;
  for (const std::int64_t first : first_opsets) version += opset >= first ? 1 : 0;
  return version;
}

void convert_opset(Model& model, std::int64_t target) {
  if (target < 1 || target > newest_opset) {
    throw Error(ErrorCode::unsupported, format("opset {} is unknown", target),
                format("opsets 1 to {} are supported", newest_opset))
        .with_id("opset.unknown");
  }
  if (model.opset("") != target) OpsetConversion(model, target).run();
}

}  // namespace ortool

// User rules: the graph before as a pattern, the graph after as a replacement.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <type_traits>
#include <variant>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/attribute_default.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/user_rules/user_rules.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

bool is_number(const Value& value) {
  const Tensor& tensor = value.constant();
  return tensor.element_count() == 1 && is_arithmetic(tensor.type());
}

bool holds_equal_tensor(const Value& value, const Tensor& expected) {
  if (!value.is_constant()) return false;
  const Tensor& found = value.constant();
  return found.type() == expected.type() && found.shape() == expected.shape() &&
         found.type() != DataType::string &&
         std::memcmp(found.bytes(), expected.bytes(),
                     static_cast<std::size_t>(expected.size_bytes())) == 0;
}

/// Whether `found` has the attributes of `wanted`, where omitted ones equal their defaults.
bool have_equal_attributes(const Node& found, const Node& wanted) {
  std::string found_text;
  std::string wanted_text;
  for (const auto& [node, text] :
       {std::pair(&found, &found_text), std::pair(&wanted, &wanted_text)})
    if (!append_attributes(*node, *text)) return false;
  if (found_text == wanted_text) return true;
  const auto is_covered = [](const Node& one, const Node& other) {
    return std::all_of(
        one.attributes().begin(), one.attributes().end(), [&](const Attribute& attribute) {
          const Attribute* same = other.find_attribute(attribute.name);
          if (same == nullptr) return has_default_value(one, attribute);
          return same->value.index() == attribute.value.index() &&
                 std::visit(
                     [&](const auto& value) {
                       using Held = std::decay_t<decltype(value)>;
                       if constexpr (std::is_same_v<Held, std::int64_t> ||
                                     std::is_same_v<Held, float> ||
                                     std::is_same_v<Held, std::string> ||
                                     std::is_same_v<Held, std::vector<std::int64_t>>) {
                         return std::get<Held>(same->value) == value;
                       } else {
                         return false;
                       }
                     },
                     attribute.value);
        });
  };
  return is_covered(found, wanted) && is_covered(wanted, found);
}

Pattern pattern_of(const Value& value) {
  const std::string name(value.name());
  if (value.is_constant()) {
    if (is_number(value)) return number(element_as_double(value.constant(), 0));
    return constant().where_value(
        [&value](const Value& found) { return holds_equal_tensor(found, value.constant()); });
  }
  if (value.producer() == nullptr) return any(name);
  const Node& node = *value.producer();
  std::vector<Pattern> operands;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    if (node.input(i) == nullptr)
      throw Error(ErrorCode::unsupported, "inputs of the 'before' graph cannot be left out")
          .at_node(node.name(), node.op_type());
    operands.push_back(pattern_of(*node.input(i)));
  }
  return op(std::string(node.op_type()), std::move(operands))
      .as(name)
      .output(value.producer_index())
      .where_node([&node](const Node& found) { return have_equal_attributes(found, node); });
}

/// Whether a value of the model fits the rule's declaration; binds the sizes of symbols.
Verdict check_type(const Value& found, const Value& declared,
                   std::map<std::string, Dimension>& sizes) {
  const Dimensions* dimensions = dimensions_of(found);
  const Dimensions& wanted = *declared.type().shape;
  if (element_of(found) != declared.type().element)
    return no(format("'{}' is {} (the rule is for {})", found.name(), found.type().to_string(),
                     declared.type().to_string()));
  if (dimensions == nullptr || dimensions->size() != wanted.size())
    return no(format("'{}' is {} (the rule is for {})", found.name(), found.type().to_string(),
                     declared.type().to_string()));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Dimension expected = wanted[i];
    if (wanted[i].is_symbol()) {
      const auto [place, is_new] = sizes.try_emplace(wanted[i].symbol(), (*dimensions)[i]);
      if (is_new) continue;
      expected = place->second;
    } else if (!wanted[i].is_known()) {
      continue;
    }
    if (!are_equal(expected, (*dimensions)[i]))
      return no(format("dimension {} of '{}' is {} (the rule is for {})", i, found.name(),
                       (*dimensions)[i].to_string(), declared.type().to_string()));
  }
  return yes();
}

Verdict check_versions(const Graph& graph, const Graph& written) {
  for (const Node& node : written.nodes()) {
    const OpEntry* entry = find_op("", node.op_type());
    const OpVersion* here = entry != nullptr ? entry->schema->at(graph.opset("")) : nullptr;
    if (here != nullptr && here == entry->schema->at(written.opset(""))) continue;
    return no(format("the rule's {} is that of opset {} (the model has {})", node.op_type(),
                     written.opset(""), graph.opset("")));
  }
  return yes();
}

Verdict may_act(const UserRule& rule, const Match& match) {
  if (Verdict verdict = check_versions(match.graph(), *rule.before->graph); !verdict.is_yes)
    return verdict;
  if (Verdict verdict = check_versions(match.graph(), *rule.after->graph); !verdict.is_yes)
    return verdict;
  std::map<std::string, Dimension> sizes;
  for (const Value* input : rule.before->graph->inputs()) {
    const Value* found = match.find(input->name());
    if (found == nullptr) continue;
    if (Verdict verdict = check_type(*found, *input, sizes); !verdict.is_yes) return verdict;
  }
  return yes();
}

NewAttributes written_attributes(const Node& node) {
  NewAttributes attributes;
  for (const Attribute& attribute : node.attributes()) {
    NewAttribute made{attribute.name, {}};
    bool is_known = true;
    std::visit(
        [&](const auto& value) {
          using Held = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<Held, std::int64_t> || std::is_same_v<Held, float> ||
                        std::is_same_v<Held, std::string> ||
                        std::is_same_v<Held, std::vector<std::int64_t>>) {
            made.value = value;
          } else {
            is_known = false;
          }
        },
        attribute.value);
    if (!is_known)
      throw Error(ErrorCode::unsupported,
                  format("attribute '{}' has a kind that rules cannot set", attribute.name))
          .at_node(node.name(), node.op_type());
    attributes.push_back(std::move(made));
  }
  return attributes;
}

Value& replace(const UserRule& rule, Replacement& replacement) {
  std::map<const Value*, Value*> made;
  const Graph& after = *rule.after->graph;
  const auto copy_of = [&](const Value* value) -> Value* {
    if (value == nullptr) return nullptr;
    const auto [place, is_new] = made.try_emplace(value, nullptr);
    if (is_new)
      place->second = value->is_constant() ? &replacement.constant(value->constant())
                                           : &replacement[value->name()];
    return place->second;
  };
  for (const Node& node : after.nodes()) {
    std::vector<Value*> inputs;
    for (std::int64_t i = 0; i < node.input_count(); ++i) inputs.push_back(copy_of(node.input(i)));
    if (node.op_type() == "Identity" && node.output(0) == after.outputs()[0]) return *inputs[0];
    const std::vector<Value*> outputs =
        replacement.add_many(node.op_type(), inputs, written_attributes(node),
                             static_cast<std::size_t>(node.output_count()));
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      if (node.output(i) != nullptr) made[node.output(i)] = outputs[static_cast<std::size_t>(i)];
    }
  }
  return *copy_of(after.outputs()[0]);
}

}  // namespace

Rule make_rule(std::shared_ptr<const UserRule> rule) {
  const UserRule& held = *rule;
  for (const Node& node : held.after->graph->nodes()) static_cast<void>(written_attributes(node));
  return {.name = held.name,
          .summary = held.summary,
          .level = held.level,
          .is_users = true,
          .pattern = pattern_of(*held.before->graph->outputs()[0]),
          .where = [rule](const Match& match) { return may_act(*rule, match); },
          .replace = [rule](Replacement& replacement) -> Value& {
            return replace(*rule, replacement);
          }};
}

}  // namespace ortool

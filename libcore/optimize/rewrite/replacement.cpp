// Replacement nodes are checked, and their types inferred, as soon as they are created.
#include "libcore/optimize/rewrite/replacement.hpp"

#include <algorithm>

#include "libcore/base/build_profile.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/import_domain.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/check_node.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/optimize/rewrite/infer_node.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"

namespace ortool {
namespace {

void append(std::vector<Attribute>& attributes, NewAttributes made) {
  for (NewAttribute& each : made) {
    Attribute& attribute = attributes.emplace_back();
    attribute.name = std::move(each.name);
    visit_held([&](auto& value) { attribute.value = std::move(value); }, each.value);
  }
}

}  // namespace

const char* domain_for(std::string_view op_type, const Graph& graph, bool has_own) {
  const OpEntry* standard = find_op("", op_type);
  const OpVersion* version = standard != nullptr ? standard->schema->at(graph.opset("")) : nullptr;
  if (version != nullptr && !version->is_deprecated) return "";
  return has_own && find_op(own_domain, op_type) != nullptr ? own_domain : nullptr;
}

Value& Replacement::add(std::string_view op_type, std::vector<Value*> inputs,
                        NewAttributes attributes) {
  return *add_many(op_type, std::move(inputs), std::move(attributes), 1).front();
}

std::vector<Value*> Replacement::add_many(std::string_view op_type, std::vector<Value*> inputs,
                                          NewAttributes attributes, std::size_t outputs) {
  const char* domain = domain_for(op_type, graph(), has_own_);
  ORTOOL_CHECK(domain != nullptr || is_minimal_build());
  if (domain == nullptr)
    throw Error(ErrorCode::unsupported, format("this minimal build has no operator {}", op_type));
  if (domain[0] != '\0') import_domain(graph(), own_domain, own_opset);
  std::vector<Attribute> given;
  append(given, std::move(attributes));
  return put(op_type, domain, std::move(inputs), std::move(given), outputs);
}

Value& Replacement::add_like(const Node& node, std::vector<Value*> inputs, NewAttributes changed) {
  std::vector<Attribute> attributes = copy_attributes(node);
  std::erase_if(attributes, [&](const Attribute& attribute) {
    return std::any_of(changed.begin(), changed.end(),
                       [&](const NewAttribute& each) { return each.name == attribute.name; });
  });
  append(attributes, std::move(changed));
  return *put(node.op_type(), node.domain(), std::move(inputs), std::move(attributes), 1).front();
}

std::vector<Value*> Replacement::put(std::string_view op_type, std::string_view domain,
                                     std::vector<Value*> inputs, std::vector<Attribute> attributes,
                                     std::size_t outputs) {
  while (!inputs.empty() && inputs.back() == nullptr) inputs.pop_back();
  std::vector<Value*> made;
  for (std::size_t i = 0; i < outputs; ++i) made.push_back(&graph().add_value(""));
  // Value names are unique; the node that produces the match's result gets its name at the end.
  const std::string_view root = match_.root().name();
  const std::string name = root.empty() ? "" : format("{}/{}", root, made.front()->name());
  Node& node = graph().add_node(op_type, domain, inputs, made, name, &match_.root());
  nodes_.push_back(&node);
  for (Attribute& attribute : attributes) node.set_attribute(std::move(attribute));
  check_node(node);
  infer_node(node);
  return made;
}

Value& Replacement::constant(Tensor tensor) {
  Value& value = graph().add_constant("", std::move(tensor));
  constants_.push_back(&value);
  return value;
}

Value& Replacement::integers(std::vector<std::int64_t> values) {
  const Shape shape({static_cast<std::int64_t>(values.size())});
  return constant(Tensor::of<std::int64_t>(shape, std::span<const std::int64_t>(values)));
}

bool Replacement::made(const Value& value) const {
  return value.producer() != nullptr &&
         std::find(nodes_.begin(), nodes_.end(), value.producer()) != nodes_.end();
}

std::int64_t Replacement::constant_bytes() const {
  std::int64_t bytes = 0;
  for (const Value* constant : constants_) bytes += constant->constant().size_bytes();
  return bytes;
}

void Replacement::undo() {
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
    std::vector<Value*> outputs;
    for (std::int64_t i = 0; i < (*node)->output_count(); ++i)
      outputs.push_back((*node)->output(i));
    graph().remove_node(**node);
    for (Value* output : outputs) {
      if (output != nullptr) graph().remove_value(*output);
    }
  }
  for (Value* value : constants_) {
    if (value->uses().empty()) graph().remove_value(*value);
  }
  nodes_.clear();
  constants_.clear();
}

}  // namespace ortool

// Decomposition: new nodes are named after the old one and its first output.
#include "libcore/optimize/contrib/decomposition.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/import_domain.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/passes/inline_body.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"

namespace ortool {

std::vector<Attribute> plain_attributes(
    std::vector<std::pair<std::string, CopySafeVariant<float, std::int64_t, std::string>>> given) {
  std::vector<Attribute> made;
  for (auto& [name, value] : given) {
    Attribute& each = made.emplace_back();
    each.name = std::move(name);
    visit_held([&](auto& inner) { each.value = std::move(inner); }, value);
  }
  return made;
}

Value& Decomposition::add(std::string_view op_type, std::vector<Value*> inputs,
                          std::vector<Attribute> given, std::string_view domain) {
  while (!inputs.empty() && inputs.back() == nullptr) inputs.pop_back();
  Value& result = graph_.add_value("");
  Value* const outputs[] = {&result};
  Node& made = graph_.add_node(op_type, domain, inputs, outputs,
                               format("{}/{}", node_.name(), result.name()), &node_);
  for (Attribute& each : given) made.set_attribute(std::move(each));
  return result;
}

std::vector<Value*> Decomposition::add_wanted(std::string_view op_type, std::vector<Value*> inputs,
                                              const std::vector<bool>& wanted,
                                              std::vector<Attribute> given,
                                              std::string_view domain) {
  while (!inputs.empty() && inputs.back() == nullptr) inputs.pop_back();
  std::vector<Value*> results;
  for (const bool is_wanted : wanted)
    results.push_back(is_wanted ? &graph_.add_value("") : nullptr);
  const auto first = std::find_if(results.begin(), results.end(),
                                  [](const Value* result) { return result != nullptr; });
  Node& made = graph_.add_node(op_type, domain, inputs, results,
                               format("{}/{}", node_.name(), (*first)->name()), &node_);
  for (Attribute& each : given) made.set_attribute(std::move(each));
  return results;
}

std::vector<Value*> Decomposition::add_wanted_own(std::string_view op_type,
                                                  std::vector<Value*> inputs,
                                                  const std::vector<bool>& wanted,
                                                  std::vector<Attribute> given) {
  import_domain(graph_, own_domain, own_opset);
  return add_wanted(op_type, std::move(inputs), wanted, std::move(given), own_domain);
}

std::vector<Value*> Decomposition::add_many(std::string_view op_type, std::vector<Value*> inputs,
                                            std::size_t outputs, std::vector<Attribute> given,
                                            std::string_view domain) {
  return add_wanted(op_type, std::move(inputs), std::vector<bool>(outputs, true), std::move(given),
                    domain);
}

std::vector<Value*> Decomposition::add_alike(std::string_view op_type, std::string_view domain) {
  if (!domain.empty()) import_domain(graph_, domain, 1);
  std::vector<bool> wanted;
  for (std::int64_t i = 0; i < node_.output_count(); ++i) wanted.push_back(has_output(i));
  return add_wanted(op_type, inputs(), wanted, attributes_but({}), domain);
}

Value& Decomposition::add_contrib(std::string_view op_type, std::vector<Value*> inputs,
                                  std::vector<Attribute> given) {
  return *add_contrib_many(op_type, std::move(inputs), {true}, std::move(given)).front();
}

std::vector<Value*> Decomposition::add_contrib_many(std::string_view op_type,
                                                    std::vector<Value*> inputs,
                                                    const std::vector<bool>& wanted,
                                                    std::vector<Attribute> given) {
  import_domain(graph_, contrib_domain, 1);
  return add_wanted(op_type, std::move(inputs), wanted, std::move(given), contrib_domain);
}

Value& Decomposition::add_with_axes(std::string_view op_type, Value& x,
                                    std::vector<std::int64_t> axes) {
  if (opset() >= opset_without_attribute(op_type, "axes"))
    return add(op_type, {&x, &integers(axes)});
  std::vector<Attribute> given(1);
  given.front().name = "axes";
  given.front().value = std::move(axes);
  return add(op_type, {&x}, std::move(given));
}

std::vector<Value*> Decomposition::add_many_own(std::string_view op_type,
                                                std::vector<Value*> inputs, std::size_t outputs,
                                                std::vector<Attribute> given) {
  import_domain(graph_, own_domain, own_opset);
  return add_many(op_type, std::move(inputs), outputs, std::move(given), own_domain);
}

Value& Decomposition::add_own(std::string_view op_type, std::vector<Value*> inputs,
                              std::vector<Attribute> given) {
  import_domain(graph_, own_domain, own_opset);
  return add(op_type, std::move(inputs), std::move(given), own_domain);
}

std::vector<Value*> Decomposition::add_graph(const Graph& held, std::vector<Value*> inputs) {
  Node* const before = node_.previous();
  std::vector<Value*> results =
      inline_body(held, node_, inputs, format("{}/{}/", node_.name(), held.name()));
  // Types that the held graph declares are of its own symbols.
  Node* made = before != nullptr ? before->next() : graph_.first_node();
  for (; made != &node_; made = made->next()) {
    for (std::int64_t i = 0; i < made->output_count(); ++i) {
      if (made->output(i) != nullptr) made->output(i)->set_type({});
    }
  }
  return results;
}

Value& Decomposition::number(double value) {
  for (std::int64_t i = 0; i < node_.input_count(); ++i) {
    const Value* input = node_.input(i);
    if (input == nullptr) continue;
    const DataType type = input->is_constant() ? input->constant().type() : element_of(*input);
    if (is_floating_point(type)) return graph_.add_constant("", filled(type, Shape(), value));
  }
  return graph_.add_constant("", filled(DataType::float32, Shape(), value));
}

Value& Decomposition::constant(Tensor value) {
  return graph_.add_constant("", std::move(value));
}

Value& Decomposition::integers(std::span<const std::int64_t> values) {
  Tensor made(DataType::int64, Shape({static_cast<std::int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), made.mutable_data<std::int64_t>().begin());
  return constant(std::move(made));
}

bool Decomposition::has_output(std::int64_t index) const {
  return index < node_.output_count() && node_.output(index) != nullptr;
}

DataType Decomposition::element(std::int64_t index) const {
  const Value* value = input(index);
  return value != nullptr ? element_of(*value) : DataType::undefined;
}

PartialShape Decomposition::shape(std::int64_t index) const {
  const Value* value = input(index);
  const Dimensions* found = value != nullptr ? dimensions_of(*value) : nullptr;
  return found != nullptr ? PartialShape(*found) : std::nullopt;
}

std::int64_t Decomposition::rank(std::int64_t index) const {
  const Value* value = input(index);
  return value != nullptr ? rank_of(*value) : -1;
}

Value* Decomposition::input(std::int64_t index) const {
  return index < node_.input_count() ? node_.input(index) : nullptr;
}

std::vector<Value*> Decomposition::inputs() const {
  std::vector<Value*> all;
  for (std::int64_t i = 0; i < node_.input_count(); ++i) all.push_back(node_.input(i));
  return all;
}

std::vector<Attribute> Decomposition::attributes_but(
    std::initializer_list<std::string_view> names) const {
  std::vector<Attribute> left = copy_attributes(node_);
  std::erase_if(left, [&](const Attribute& each) {
    return std::find(names.begin(), names.end(), each.name) != names.end();
  });
  return left;
}

}  // namespace ortool

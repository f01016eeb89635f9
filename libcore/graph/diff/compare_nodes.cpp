// Compares matched nodes by attributes and inputs.
#include "libcore/graph/diff/compare_nodes.hpp"

#include <algorithm>
#include <bit>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/diff/node_groups.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool::diff {
namespace {

constexpr std::size_t max_items = 12;
constexpr std::size_t max_text = 80;
constexpr std::int64_t max_commuting_inputs = 64;

template <typename List, typename Convert>
std::string list_text(const List& list, const Convert& convert) {
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(list.size(), max_items); ++i) {
    text += (i > 0 ? ", " : "") + convert(list[i]);
  }
  if (list.size() > max_items) text += format(", ... {} more", list.size() - max_items);
  return text + "]";
}

std::string short_text(const std::string& text) {
  return quote(text.size() <= max_text ? text : text.substr(0, max_text) + "...");
}

std::string tensor_text(const StoredTensor& tensor) {
  if (tensor.content != nullptr && tensor.shape.rank() == 0) {
    return format("{} {}", name_of(tensor.type), element_text(*tensor.content, 0));
  }
  return format("{}[{}]", name_of(tensor.type), tensor.shape.to_string());
}

bool is_same_tensor_or_type(const Tensor& before, const Tensor& after, bool reads_weights) {
  if (!reads_weights) return before.type() == after.type() && before.shape() == after.shape();
  return is_same_tensor(before, after);
}

bool is_same_float(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

std::string value_text(const Value* value) {
  if (value == nullptr) return "(left out)";
  const Value& outer = outermost(*value);
  const auto stored = stored_tensor(outer);
  if (stored) return format("stored {} {}", quote(outer.name()), tensor_text(*stored));
  return quote(outer.name());
}

std::string operator_text(const Node& node) {
  std::string text = node.domain().empty() ? "" : std::string(node.domain()) + ".";
  text += node.op_type();
  return node.overload().empty() ? text : text + ":" + std::string(node.overload());
}

void compare_attributes(const Node& before, const Node& after, const DiffOptions& options,
                        std::vector<FieldChange>& changes) {
  const auto means_nothing = [&](const Node& node, const Attribute& attribute) {
    return options.is_default && options.is_default(node, attribute);
  };
  for (const Attribute& attribute : before.attributes()) {
    const Attribute* other = after.find_attribute(attribute.name);
    if (other != nullptr && is_same_attribute(attribute, *other, options.reads_weights)) continue;
    if (other == nullptr && means_nothing(before, attribute)) continue;
    FieldChange change{"attribute " + attribute.name, attribute_text(attribute), std::nullopt};
    if (other != nullptr) change.after = attribute_text(*other);
    changes.push_back(std::move(change));
  }
  for (const Attribute& attribute : after.attributes()) {
    const bool is_known = before.find_attribute(attribute.name) != nullptr;
    if (is_known || means_nothing(after, attribute)) continue;
    changes.push_back({"attribute " + attribute.name, std::nullopt, attribute_text(attribute)});
  }
}

/// Whether a commutative operator has the same inputs in another order.
bool reads_the_same(const Node& before, const Node& after, const Matching& matching,
                    const DiffOptions& options) {
  const bool is_short = before.input_count() <= max_commuting_inputs;
  if (!commutes(before, options) || before.input_count() != after.input_count() || !is_short)
    return false;
  std::vector<bool> is_taken(static_cast<std::size_t>(after.input_count()));
  for (std::int64_t i = 0; i < before.input_count(); ++i) {
    bool is_found = false;
    for (std::int64_t j = 0; j < after.input_count() && !is_found; ++j) {
      const auto place = static_cast<std::size_t>(j);
      if (is_taken[place] || !is_same_source(before.input(i), after.input(j), matching)) continue;
      is_taken[place] = true;
      is_found = true;
    }
    if (!is_found) return false;
  }
  return true;
}

}  // namespace

std::string attribute_text(const Attribute& attribute) {
  if (!attribute.reference.empty()) return "@" + attribute.reference;
  const auto integer_text = [](std::int64_t number) { return std::to_string(number); };
  const auto float_text = [](float number) { return format("{}", number); };
  const Attribute::Value& value = attribute.value;
  if (const auto* number = std::get_if<float>(&value)) return float_text(*number);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return integer_text(*integer);
  if (const auto* text = std::get_if<std::string>(&value)) return short_text(*text);
  if (const auto* tensor = std::get_if<Tensor>(&value)) {
    return "tensor " + tensor_text(StoredTensor(*tensor));
  }
  if (const auto* floats = std::get_if<std::vector<float>>(&value)) {
    return list_text(*floats, float_text);
  }
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) {
    return list_text(*integers, integer_text);
  }
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    return list_text(*texts, short_text);
  }
  if (const auto* tensors = std::get_if<std::vector<Tensor>>(&value)) {
    return list_text(*tensors, [](const Tensor& item) { return tensor_text(StoredTensor(item)); });
  }
  if (const auto* type = std::get_if<ValueType>(&value)) return type->to_string();
  return std::string(name_of(attribute.kind()));
}

bool is_same_attribute(const Attribute& before, const Attribute& after, bool reads_weights) {
  if (before.reference != after.reference || before.value.index() != after.value.index()) {
    return false;
  }
  const Attribute::Value& x = before.value;
  const Attribute::Value& y = after.value;
  const auto same_tensor = [&](const Tensor& a, const Tensor& b) {
    return is_same_tensor_or_type(a, b, reads_weights);
  };
  const auto same_sparse = [&](const SparseTensor& a, const SparseTensor& b) {
    return a.dimensions == b.dimensions && same_tensor(a.values, b.values) &&
           same_tensor(a.indices, b.indices);
  };
  const auto same_list = [](const auto& a, const auto& b, const auto& same) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
  };
  const auto same_type = [](const ValueType& a, const ValueType& b) {
    return a.to_string() == b.to_string();
  };
  if (const auto* number = std::get_if<float>(&x)) {
    return is_same_float(*number, std::get<float>(y));
  }
  if (const auto* integer = std::get_if<std::int64_t>(&x)) {
    return *integer == std::get<std::int64_t>(y);
  }
  if (const auto* text = std::get_if<std::string>(&x)) return *text == std::get<std::string>(y);
  if (const auto* tensor = std::get_if<Tensor>(&x))
    return same_tensor(*tensor, std::get<Tensor>(y));
  if (const auto* floats = std::get_if<std::vector<float>>(&x)) {
    return same_list(*floats, std::get<std::vector<float>>(y), is_same_float);
  }
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&x)) {
    return *integers == std::get<std::vector<std::int64_t>>(y);
  }
  if (const auto* texts = std::get_if<std::vector<std::string>>(&x)) {
    return *texts == std::get<std::vector<std::string>>(y);
  }
  if (const auto* tensors = std::get_if<std::vector<Tensor>>(&x)) {
    return same_list(*tensors, std::get<std::vector<Tensor>>(y), same_tensor);
  }
  if (const auto* graphs = std::get_if<Attribute::Graphs>(&x)) {
    return graphs->size() == std::get<Attribute::Graphs>(y).size();
  }
  if (const auto* sparse = std::get_if<SparseTensor>(&x)) {
    return same_sparse(*sparse, std::get<SparseTensor>(y));
  }
  if (const auto* list = std::get_if<std::vector<SparseTensor>>(&x)) {
    return same_list(*list, std::get<std::vector<SparseTensor>>(y), same_sparse);
  }
  if (const auto* type = std::get_if<ValueType>(&x)) {
    return same_type(*type, std::get<ValueType>(y));
  }
  if (const auto* types = std::get_if<std::vector<ValueType>>(&x)) {
    return same_list(*types, std::get<std::vector<ValueType>>(y), same_type);
  }
  return true;
}

bool is_same_source(const Value* before, const Value* after, const Matching& matching) {
  if (before == nullptr || after == nullptr) return before == after;
  const Value& outer_before = outermost(*before);
  const Value& outer_after = outermost(*after);
  if (is_stored(outer_before) && is_stored(outer_after)) return true;
  const auto is_alone = [&](const Value& value) {
    return value.producer() != nullptr && !is_constant_node(*value.producer()) &&
           matching.partner(*value.producer()) == nullptr;
  };
  if (is_alone(outer_before) || is_alone(outer_after)) return true;
  const auto token = matching.token(outer_before);
  if (token || matching.token(outer_after)) return token == matching.token(outer_after);
  return outer_before.name() == outer_after.name();
}

std::vector<FieldChange> compare_nodes(const Node& before, const Node& after,
                                       const Matching& matching, const DiffOptions& options) {
  std::vector<FieldChange> changes;
  const std::string operators[2] = {operator_text(before), operator_text(after)};
  if (operators[0] != operators[1]) changes.push_back({"operator", operators[0], operators[1]});
  compare_attributes(before, after, options, changes);
  if (reads_the_same(before, after, matching, options)) return changes;
  for (std::int64_t i = 0; i < std::max(before.input_count(), after.input_count()); ++i) {
    if (is_same_source(before.input(i), after.input(i), matching)) continue;
    FieldChange change{format("input {}", i), std::nullopt, std::nullopt};
    if (i < before.input_count()) change.before = value_text(before.input(i));
    if (i < after.input_count()) change.after = value_text(after.input(i));
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace ortool::diff

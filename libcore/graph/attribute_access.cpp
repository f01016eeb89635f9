// Typed access to a node's attributes.
#include "libcore/graph/attribute_access.hpp"

#include <utility>
#include <variant>

namespace ortool {

std::int64_t integer_attribute(const Node& node, std::string_view name, std::int64_t fallback) {
  const Attribute* attribute = node.find_attribute(name);
  const auto* number =
      attribute != nullptr ? std::get_if<std::int64_t>(&attribute->value) : nullptr;
  return number != nullptr ? *number : fallback;
}

std::string_view text_attribute(const Node& node, std::string_view name,
                                std::string_view fallback) {
  const Attribute* attribute = node.find_attribute(name);
  const auto* text = attribute != nullptr ? std::get_if<std::string>(&attribute->value) : nullptr;
  return text != nullptr ? std::string_view(*text) : fallback;
}

void set_attribute(Node& node, std::string_view name, Attribute::Value value) {
  Attribute attribute;
  attribute.name = name;
  attribute.value = std::move(value);
  node.set_attribute(std::move(attribute));
}

}  // namespace ortool

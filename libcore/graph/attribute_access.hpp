// Typed getters and setters for a node's attributes, by name.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcore/graph/node.hpp"

namespace ortool {

/// The attribute's value if it exists and is an integer, otherwise `fallback`.
std::int64_t integer_attribute(const Node& node, std::string_view name, std::int64_t fallback);
/// Same for a string; the view is valid as long as the attribute.
std::string_view text_attribute(const Node& node, std::string_view name, std::string_view fallback);

/// Adds or replaces the attribute.
void set_attribute(Node& node, std::string_view name, Attribute::Value value);

}  // namespace ortool

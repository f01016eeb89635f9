// A node's attributes, read and set by name and type.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// The attribute's value where it is there and an integer, `fallback` elsewhere.
std::int64_t integer_attribute(const Node& node, std::string_view name, std::int64_t fallback);
/// The same for a string, which lives as long as the attribute.
std::string_view text_attribute(const Node& node, std::string_view name, std::string_view fallback);

/// Adds or replaces.
void set_attribute(Node& node, std::string_view name, Attribute::Value value);

}  // namespace ortool

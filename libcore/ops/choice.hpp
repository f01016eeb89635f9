// An attribute that names one of a few ways to do something.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "libcore/ops/attribute_reader.hpp"

namespace ortool {

/// The position of the attribute's value (or of `default_value`) among `choices`. Throws
/// ErrorCode::invalid, listing them, for any other text.
std::size_t read_choice(AttributeReader& attributes, std::string_view name,
                        std::string_view default_value,
                        std::span<const std::string_view> choices);

/// The same with an enumeration whose enumerators are numbered like `choices`.
template <typename Enum>
Enum read_choice_as(AttributeReader& attributes, std::string_view name,
                    std::string_view default_value, std::span<const std::string_view> choices) {
  return static_cast<Enum>(read_choice(attributes, name, default_value, choices));
}

/// The position of `text` among `choices`; `name` is the attribute's.
std::size_t find_choice(std::string_view name, std::string_view text,
                        std::span<const std::string_view> choices);

}  // namespace ortool

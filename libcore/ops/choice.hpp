// Attributes of string type that select one of a few allowed values.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace ortool {

/// The index of `text` in `choices`; `name` is the attribute's name. Throws ErrorCode::invalid,
/// listing the choices, for any other text.
std::size_t find_choice(std::string_view name, std::string_view text,
                        std::span<const std::string_view> choices);

}  // namespace ortool

// A text that names one of a few ways to do something.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace ortool {

/// The position of `text` among `choices`; `name` is the attribute's. Throws ErrorCode::invalid,
/// listing them, for any other text.
std::size_t find_choice(std::string_view name, std::string_view text,
                        std::span<const std::string_view> choices);

}  // namespace ortool

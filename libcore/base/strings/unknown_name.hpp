// Errors for unknown names, with the closest known name and the complete list.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.hpp"

namespace ortool {

/// ErrorCode::invalid: "`what` 'wanted' is not known", with a hint that suggests the closest of
/// `known` and lists them. `plural` is the heading of that list: "the commands".
Error unknown_name(std::string_view what, std::string_view wanted, std::string_view plural,
                   std::span<const std::string> known);

}  // namespace ortool

// Unknown names as errors: the nearest one, and the real list.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.hpp"

namespace ortool {

/// ErrorCode::invalid: "`what` 'wanted' is not known", with a hint that names the nearest of
/// `known` and lists them. `plural` is the heading of that list: "the commands".
Error unknown_name(std::string_view what, std::string_view wanted, std::string_view plural,
                   std::span<const std::string> known);

}  // namespace ortool

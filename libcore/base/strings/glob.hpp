// Glob patterns with * and ?.
#pragma once

#include <string_view>

namespace ortool {

/// Whether `pattern` matches all of `name`; * matches any text and ? one byte. Takes time at most
/// proportional to the product of the lengths.
bool matches_glob(std::string_view name, std::string_view pattern);

}  // namespace ortool

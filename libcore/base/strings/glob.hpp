// Names chosen with * and ?.
#pragma once

#include <string_view>

namespace ortool {

/// Whether all of `name` fits `pattern`, where * stands for any text and ? for one byte. Time is at
/// most the product of the lengths.
bool matches_glob(std::string_view name, std::string_view pattern);

}  // namespace ortool

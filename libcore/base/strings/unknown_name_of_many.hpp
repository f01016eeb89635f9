// Errors for unknown names among many, with the nearest three suggestions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.hpp"

namespace ortool {

/// Up to `most` of `candidates`, nearest first: those that are close enough for a typo, that begin
/// with `wanted` or it with them, and that have it as one of their words ("format" of
/// "output-format"). Leading dashes do not count.
std::vector<std::string> nearest_names(std::string_view wanted,
                                       std::span<const std::string> candidates, std::size_t most);

/// unknown_name() where there are too many names to list: the nearest three, then `all`, which says
/// what shows the others: "`ortool run --help --all` lists all options".
Error unknown_name_of_many(std::string_view what, std::string_view wanted,
                           std::span<const std::string> known, std::string_view all);

}  // namespace ortool

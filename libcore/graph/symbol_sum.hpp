// Symbols that are named by a sum: exporters write "past_length + length" for the length of a cache
// with new entries.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ortool {

/// "length + past + 1" as {"1", "length", "past"}, sorted. Nothing if a part is neither a name of
/// letters, digits, underscores and dots nor an integer, or if there are fewer than two parts.
std::vector<std::string> summands_of(std::string_view symbol);

/// The value of the sum, using `number_of` for each name. Nothing if the symbol is not a sum,
/// `number_of` has no number for a name, or the result is not between 0 and 2^40.
std::optional<std::int64_t> called_sum(
    std::string_view symbol,
    const std::function<std::optional<std::int64_t>(const std::string&)>& number_of);

}  // namespace ortool

// Symbols called by a sum: exporters call what is as long as a cache and new rows together
// "past_length + length".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ortool {

/// "length + past + 1" as {"1", "length", "past"}, sorted; nothing where a part is neither a name
/// of letters, digits, underscores and dots nor a whole number, or there are fewer than two.
std::vector<std::string> summands_of(std::string_view symbol);

/// The sum, with a number for each of its names; nothing where the symbol is not called by one,
/// `number_of` knows no number, or the sum is not between 0 and 2^40.
std::optional<std::int64_t> called_sum(
    std::string_view symbol,
    const std::function<std::optional<std::int64_t>(const std::string&)>& number_of);

}  // namespace ortool

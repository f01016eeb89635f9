// Numbers with a unit right behind them.
#pragma once

#include <optional>
#include <string_view>

namespace ortool {

/// Bytes: "256MB", "1.5GiB", "500". Nothing where that is no finite number.
std::optional<double> read_bytes(std::string_view text);

/// Bytes as well as "20", "300M", "1.5k" of anything.
std::optional<double> read_amount(std::string_view text);

}  // namespace ortool

// Parsing of numbers with a unit suffix.
#pragma once

#include <optional>
#include <string_view>

namespace ortool {

/// Bytes: "256MB", "1.5GiB", "500". Nothing if the text is not a finite number.
std::optional<double> read_bytes(std::string_view text);

/// Bytes as above, or plain counts: "20", "300M", "1.5k".
std::optional<double> read_amount(std::string_view text);

}  // namespace ortool

// Human-readable formatting of bytes, counts, times and rounded decimals.
#pragma once

#include <string>

namespace ortool {

/// "1.4 MB", "312 bytes": powers of 1000.
std::string readable_bytes(double bytes);
/// "1.23 M", "17": powers of 1000.
std::string readable_count(double count);
/// "12.3 ms", "1.20 s", "45 us".
std::string readable_ms(double milliseconds);
/// With the given number of digits after the decimal point.
std::string fixed_number(double value, int decimals);
/// Up to six significant digits; NaN, Infinity.
std::string readable_number(double value);

}  // namespace ortool

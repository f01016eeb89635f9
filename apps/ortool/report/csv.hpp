// CSV rows in the form of RFC 4180.
#pragma once

#include <string>
#include <vector>

namespace ortool {

/// The fields, separated by commas, and a line feed. Fields with a comma, a quote or a line break
/// are quoted.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace ortool

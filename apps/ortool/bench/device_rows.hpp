// Rows of what runs take on devices, for tables of bench.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/ortool/bench/bench_report.hpp"

namespace ortool {

/// Heads, and a row for each variant that a device computes; empty without any. Columns of clocks
/// are there if a device tells its own.
std::vector<std::vector<std::string>> device_rows(const BenchFindings& findings);

/// Columns of CSV, and their fields of one variant, which are empty for what is not known.
std::vector<std::string> device_csv_heads();
std::vector<std::string> device_csv_fields(const std::optional<DeviceTimes>& device);

}  // namespace ortool

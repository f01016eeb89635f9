// HTML report of bench: one page with plots.
#pragma once

#include <string>

#include "apps/ortool/bench/bench_report.hpp"

namespace ortool {

/// Writes the page for `payload`, the document's own keys, with distributions from `findings`.
/// Throws ErrorCode::write_failed.
void write_bench_page(const std::string& path, const BenchFindings& findings, const Json& payload);

}  // namespace ortool

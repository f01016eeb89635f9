// HTML report of bench: one page with plots.
#pragma once

#include <string>

#include "apps/ortool/bench/bench_report.hpp"

namespace ortool {

/// The page for `payload`, the document's own keys, with distributions from `findings`.
std::string bench_page_text(const BenchFindings& findings, const Json& payload);

}  // namespace ortool

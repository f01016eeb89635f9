// What `ortool quantize` tells: text for people, and the payload of its document.
#pragma once

#include "apps/ortool/report/report.hpp"
#include "libcore/quantize/pipeline/quantize_result.hpp"

namespace ortool {

void add_quantize_report(Report& report, const QuantizeResult& result);

}  // namespace ortool

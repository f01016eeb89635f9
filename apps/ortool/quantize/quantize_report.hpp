// Report of quantize: text, and the payload of its document.
#pragma once

#include "apps/ortool/report/report.hpp"
#include "libcore/quantize/pipeline/quantize_result.hpp"

namespace ortool {

/// With `calibrates_only` no model was made.
void add_quantize_report(Report& report, const QuantizeResult& result, bool calibrates_only);

}  // namespace ortool

// Report of searches and suggestions of quantize, as text and JSON.
#pragma once

#include <string>

#include "libcore/json/json.hpp"
#include "libcore/quantize/pipeline/quantize_result.hpp"

namespace ortool {

struct SearchReport {
  Json block = Json::object();  ///< keys of the document
  std::string text;
};

/// `method_trials`, `techniques`, `accuracy`, `search`, `suggestions` and `keep_faster`, as far as
/// they were computed.
SearchReport describe_searches(const QuantizeResult& result);

}  // namespace ortool

// Nodes of a quantization report, for tests of code that reads it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apps/ortool/quantize/quantize_report.hpp"

namespace ortool {

/// A quantized product `name` that computes `value` from `reads`.
inline ReportedNode node_of(const std::string& name, const std::string& value,
                            std::vector<std::string> reads) {
  ReportedNode node;
  node.name = node.plan_name = name;
  node.value = value;
  node.is_quantized = true;
  node.role = QuantizeRole::product;
  node.reads = std::move(reads);
  return node;
}

}  // namespace ortool

// The figures under their names.
#include "apps/ortool/inspect/summary_block.hpp"

namespace ortool {

Json summary_block(const Summary& summary) {
  const auto number_or_null = [](const std::optional<std::int64_t>& number) {
    return number ? Json(*number) : Json();
  };
  Json histogram = Json::object();
  for (const auto& [op_type, count] : summary.op_histogram) histogram.set(op_type, count);
  Json block = Json::object();
  block.set("node_count", summary.node_count)
      .set("op_histogram", std::move(histogram))
      .set("parameter_count", summary.parameter_count)
      .set("weight_bytes", summary.weight_bytes)
      .set("macs", number_or_null(summary.macs.value()));
  if (!summary.macs.value()) block.set("macs_formula", summary.macs.formula());
  return block.set("peak_activation_bytes", number_or_null(summary.peak_activation_bytes))
      .set("denormal_weights", number_or_null(summary.denormal_weights))
      .set("duplicate_weight_bytes", number_or_null(summary.duplicate_weight_bytes));
}

}  // namespace ortool

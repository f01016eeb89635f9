// JSON of a model's summary metrics.
#include "apps/ortool/inspect/summary_block.hpp"

#include <algorithm>
#include <numeric>

#include "libcore/base/format.hpp"

namespace ortool {
namespace {

constexpr std::size_t max_listed_operators = 10;

Json number_or_null(const std::optional<std::int64_t>& number) {
  return number ? Json(*number) : Json();
}

Json weight_block(const Weight& weight) {
  return Json::object()
      .set("name", weight.name)
      .set("dtype", name_of(weight.type))
      .set("shape", Json::list_of(weight.shape))
      .set("bytes", weight.size_bytes());
}

Json duplicates_block(const Summary& summary) {
  Json list = Json::list();
  for (const DuplicateGroup& group : summary.weight_findings->duplicates) {
    if (list.items().size() >= max_listed_operators) break;
    Json names = Json::list();
    for (const std::size_t index : group.weights) {
      if (names.items().size() < max_listed_operators) names.add(summary.weights[index].name);
    }
    list.add(Json::object()
                 .set("weights", std::move(names))
                 .set("count", group.weights.size())
                 .set("wasted_bytes", group.wasted_bytes));
  }
  return list;
}

}  // namespace

std::vector<Weight> largest_weights(const Summary& summary, std::size_t count) {
  std::vector<std::size_t> order(summary.weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t taken = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(taken), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const std::int64_t a_bytes = summary.weights[a].size_bytes();
                      const std::int64_t b_bytes = summary.weights[b].size_bytes();
                      return a_bytes != b_bytes ? a_bytes > b_bytes : a < b;
                    });
  std::vector<Weight> largest;
  for (std::size_t i = 0; i < taken; ++i) largest.push_back(summary.weights[order[i]]);
  return largest;
}

Json summary_block(const Summary& summary) {
  Json histogram = Json::object();
  for (const auto& [op_type, count] : summary.op_histogram) histogram.set(op_type, count);
  Json block = Json::object();
  block.set("node_count", summary.node_count)
      .set("op_histogram", std::move(histogram))
      .set("parameter_count", summary.parameter_count)
      .set("weight_bytes", summary.weight_bytes)
      .set("macs", number_or_null(summary.macs.value()));
  if (!summary.macs.value()) {
    block.set("macs_formula", summary.macs.formula());
    if (!summary.macs.cause().empty()) block.set("macs_unknown_because", summary.macs.cause());
  }
  const ActivationMemory& memory = summary.peak_activations;
  const bool is_number = memory.unknown == nullptr && !memory.is_bound && memory.bytes.value();
  block.set("peak_activation_bytes", is_number ? Json(*memory.bytes.value()) : Json());
  if (memory.unknown != nullptr) {
    block.set("peak_activation_unknown_because",
              format("the size of value '{}' is unknown", memory.unknown->name()));
  } else if (!is_number) {
    block.set("peak_activation_formula", memory.bytes.formula())
        .set("peak_activation_is_bound", memory.is_bound);
  }
  block.set("denormal_weights", number_or_null(summary.denormal_weights()))
      .set("duplicate_weight_bytes", number_or_null(summary.duplicate_weight_bytes()));
  if (summary.weight_findings) {
    const WeightStatistics& total = summary.weight_findings->total;
    block.set("nan_weights", total.nans)
        .set("infinite_weights", total.infinities)
        .set("zero_weights", total.zeros)
        .set("duplicate_weights", duplicates_block(summary))
        .set("weights_sha256", total.sha256);
  }
  Json largest = Json::list();
  for (const Weight& weight : largest_weights(summary, max_listed_operators)) {
    largest.add(weight_block(weight));
  }
  return block.set("largest_weights", std::move(largest)).set("graph_sha256", summary.graph_sha256);
}

}  // namespace ortool

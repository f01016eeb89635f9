// State of a metric: checked access to its members, and the join of states.
#include "libcore/dataset/metrics/metric_state.hpp"

#include <cmath>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/dataset/metrics/detection_state.hpp"
#include "libcore/dataset/metrics/output_metric.hpp"
#include "libcore/dataset/metrics/pixel_state.hpp"

namespace ortool {
namespace {

std::int64_t whole_number(const Json& value, std::string_view key) {
  constexpr double most = 0x1p53;
  if (!value.is_number() || !(std::abs(value.number()) <= most)) MetricState::refuse(key);
  return static_cast<std::int64_t>(value.number());
}

}  // namespace

void MetricState::refuse(std::string_view key) {
  throw Error(ErrorCode::invalid, format("the metric has no valid {}", quote(key)),
              "run the shard again to replace its part")
      .with_id("part.content");
}

const Json& MetricState::member(std::string_view key) const {
  const Json* value = state_.find(key);
  if (value == nullptr) refuse(key);
  return *value;
}

double MetricState::number(std::string_view key) const {
  const Json& value = member(key);
  if (!value.is_number()) refuse(key);
  return value.number();
}

std::int64_t MetricState::integer(std::string_view key) const {
  return whole_number(member(key), key);
}

std::string MetricState::text(std::string_view key) const {
  const Json& value = member(key);
  if (!value.is_text()) refuse(key);
  return value.text();
}

const Json::List& MetricState::list(std::string_view key) const {
  const Json& value = member(key);
  if (!value.is_list()) refuse(key);
  return value.items();
}

std::vector<std::int64_t> MetricState::integers(std::string_view key) const {
  std::vector<std::int64_t> numbers;
  for (const Json& each : list(key)) numbers.push_back(whole_number(each, key));
  return numbers;
}

MetricResult join_metric_states(Metric metric, std::span<const Json> states,
                                const TaskContext& task) {
  if (metric == Metric::miou) {
    PixelState whole;
    for (const Json& state : states) whole.add(MetricState(state));
    return whole.result();
  }
  std::optional<DetectionState> whole;
  for (const Json& state : states) {
    if (!whole) whole.emplace(DetectionState::like(MetricState(state), &task.memory));
    whole->add(MetricState(state));
  }
  if (!whole) MetricState::refuse("state");
  whole->warn_of_suspicious_outputs(task);
  return whole->result();
}

}  // namespace ortool

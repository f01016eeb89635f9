// One range a value, united over those that share a scale.
#include "libcore/quantize/choose_numbers.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "libcore/base/nearest.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// The range of a constant's elements, zero among them.
ChosenRange range_of(const Tensor& tensor) {
  ChosenRange chosen;
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    const double number = element_as_double(tensor, i);
    chosen.range.low = std::min(chosen.range.low, number);
    chosen.range.high = std::max(chosen.range.high, number);
  }
  return chosen;
}

}  // namespace

std::vector<ValueRequest> requested_values(const QuantizePlan& plan) {
  std::vector<ValueRequest> requests;
  std::unordered_set<std::string_view> names;
  const auto request = [&](Value* value, std::optional<std::int64_t> channels) {
    if (!is_float_tensor(value) || constant_behind(value) != nullptr) return;
    if (names.insert(value->name()).second)
      requests.push_back({std::string(value->name()), channels});
  };
  // First what products read, channel by channel.
  for (const PlannedNode& planned : plan.nodes) {
    if (planned.role != QuantizeRole::product || planned.weight_input != 1) continue;
    const bool is_product =
        planned.node->op_type() == "MatMul" || planned.node->op_type() == "Gemm";
    request(planned.node->input(0), is_product ? -1 : 1);
  }
  for (const PlannedNode& planned : plan.nodes) {
    if (planned.role == QuantizeRole::none) continue;
    const Node& node = *planned.node;
    for (std::int64_t i = 0; i < node.input_count(); ++i) request(node.input(i), std::nullopt);
    for (std::int64_t i = 0; i < node.output_count(); ++i) request(node.output(i), std::nullopt);
  }
  return requests;
}

bool reads_unseen(const Node& node, const Calibration& calibration) {
  const auto is_unseen = [&](Value* value) {
    if (!is_float_tensor(value) || constant_behind(value) != nullptr) return false;
    const ValueRecord* record = calibration.find(value->name());
    return record != nullptr && record->finite_count() == 0;
  };
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    if (is_unseen(node.input(i))) return true;
  }
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    if (is_unseen(node.output(i))) return true;
  }
  return false;
}

std::vector<GroupNumbers> choose_numbers(const QuantizePlan& plan, const Calibration& calibration,
                                         QuantizationType type, const MethodOptions& options,
                                         std::vector<ChosenValue>& chosen) {
  std::vector<GroupNumbers> numbers(static_cast<std::size_t>(plan.group_count));
  std::vector<ChosenRange> ranges(numbers.size());
  for (const PlannedValue& planned : plan.values) {
    Value& value = *planned.value;
    ChosenRange range;
    if (planned.is_weight) {
      range = range_of(constant_behind(&value)->constant());
    } else {
      const ValueRecord* record = calibration.find(value.name());
      ORTOOL_CHECK(record != nullptr);
      try {
        range = choose_range(*record, type, options);
      } catch (Error& error) {
        throw error.in("value " + quote(value.name()));
      }
    }
    auto& all = ranges[static_cast<std::size_t>(planned.group)].range;
    all.low = std::min(all.low, range.range.low);
    all.high = std::max(all.high, range.range.high);
    chosen.push_back({std::string(value.name()), planned.group, range});
  }
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = {choose_scale(ranges[i].range, type), type};
  return numbers;
}

}  // namespace ortool

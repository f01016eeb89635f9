// Group parameters: one range per value, united over the values that share a scale.
#include "libcore/quantize/scheme/group_params.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// The range of a constant's elements, including zero.
ChosenRange range_of(const Tensor& tensor) {
  ChosenRange chosen;
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    const double number = element_as_double(tensor, i);
    chosen.range.low = std::min(chosen.range.low, number);
    chosen.range.high = std::max(chosen.range.high, number);
  }
  return chosen;
}

/// The choices for the values of one group.
struct Group {
  std::optional<Scale> scale;
  std::optional<DataType> type;
  std::string decided_by;  ///< the value whose choice applies
  ValueRange range;

  void choose(const Value& value, const ValueChoice& choice) {
    const bool differs = (scale && choice.scale && *scale != *choice.scale) ||
                         (type && choice.type && *type != *choice.type);
    if (differs) {
      throw Error(
          ErrorCode::invalid,
          format(
              "values {} and {} share one scale and type, but the plan gives them different ones",
              quote(decided_by), quote(source_name(value))),
          "give both the same, or leave one of them out");
    }
    if (!choice.scale && !choice.type) return;
    if (choice.scale) scale = choice.scale;
    if (choice.type) type = choice.type;
    decided_by = std::string(source_name(value));
  }

  QuantizationType type_of(const ParamsSource& source) const {
    QuantizationType result = source.type;
    result.type = type.value_or(result.type);
    return result;
  }
};

const ValueChoice* choice_of(const ParamsSource& source, const PlannedValue& planned) {
  if (source.choices == nullptr) return nullptr;
  const auto found = source.choices->values.find(source_name(*planned.value));
  return found != source.choices->values.end() ? &found->second : nullptr;
}

ChosenRange range_for(const ParamsSource& source, const PlannedValue& planned,
                      QuantizationType type) {
  Value& value = *planned.value;
  if (planned.is_weight) return range_of(constant_behind(&value)->constant());
  const ValueRecord* record =
      source.calibration != nullptr ? source.calibration->find(source_name(value)) : nullptr;
  if (record == nullptr) {
    throw Error(ErrorCode::invalid,
                format("value {} has no scale in the plan, and there is no calibration data",
                       quote(source_name(value))),
                format("add its scale and zero_point, or {}", setting_name("calibration-data")));
  }
  MethodOptions options = source.method;
  const ValueChoice* choice = choice_of(source, planned);
  if (choice != nullptr) options.method = choice->method.value_or(options.method);
  try {
    return source.ranges != nullptr ? source.ranges->choose(*record, type, options)
                                    : choose_range(*record, type, options);
  } catch (Error& error) {
    throw error.in("value " + quote(source_name(value)));
  }
}

}  // namespace

const ChosenRange& RangeCache::choose(const ValueRecord& record, QuantizationType type,
                                      const MethodOptions& options) {
  const Key key{&record,         type.type,      type.is_symmetric,
                type.is_reduced, options.method, options.percentile};
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_.emplace(key, choose_range(record, type, options)).first->second;
}

std::vector<ValueRequest> requested_values(const QuantizePlan& plan) {
  std::vector<ValueRequest> requests;
  std::unordered_set<std::string_view> names;
  const auto request = [&](Value* value, std::optional<std::int64_t> channels) {
    if (!is_float_tensor(value) || constant_behind(value) != nullptr) return;
    const std::string_view name = source_name(*value);
    if (names.insert(name).second) requests.push_back({std::string(name), channels});
  };
  // First the inputs of products, with channel information.
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
    const ValueRecord* record = calibration.find(source_name(*value));
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

std::vector<GroupParams> choose_group_params(const QuantizePlan& plan, const ParamsSource& source,
                                             std::vector<ChosenValue>& chosen) {
  std::vector<Group> groups(static_cast<std::size_t>(plan.group_count));
  for (const PlannedValue& planned : plan.values) {
    if (const ValueChoice* choice = choice_of(source, planned))
      groups[static_cast<std::size_t>(planned.group)].choose(*planned.value, *choice);
  }
  for (const PlannedValue& planned : plan.values) {
    Group& group = groups[static_cast<std::size_t>(planned.group)];
    ChosenRange range;
    if (group.scale) {
      range.range = representable_range(*group.scale, group.type_of(source));
      if (const ValueChoice* choice = choice_of(source, planned))
        range.method = choice->method.value_or(range.method);
    } else {
      range = range_for(source, planned, group.type_of(source));
      group.range.low = std::min(group.range.low, range.range.low);
      group.range.high = std::max(group.range.high, range.range.high);
    }
    chosen.push_back({std::string(source_name(*planned.value)), planned.group, range});
  }
  std::vector<GroupParams> params;
  for (const Group& group : groups) {
    const QuantizationType type = group.type_of(source);
    params.push_back({group.scale ? *group.scale : choose_scale(group.range, type), type});
  }
  return params;
}

}  // namespace ortool

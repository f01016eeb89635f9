// Staged comparison: quantized values become outputs of both models, and inputs of one.
#include "libcore/verify/staged_runs.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/format.hpp"
#include "libcore/base/strings/readable_number.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"

namespace ortool {
namespace {

/// Formulas are not valid dimension names.
ValueType type_of_input(const Value& value) {
  ValueType type = value.type();
  if (!type.shape) return type;
  for (Dimension& dimension : *type.shape) {
    if (!dimension.is_known() && !dimension.is_symbol()) dimension = Dimension();
  }
  return type;
}

std::string wording(const RoundingCheck& check) {
  return format("{} of {} quantized values have different inputs, by up to {} units", check.wrong,
                check.count, readable_number(check.largest_excess_units));
}

}  // namespace

OriginalStages::OriginalStages(std::unique_ptr<Model> model, const StageRunner& runner)
    : runner_(runner) {
  infer_shapes(*model);
  Graph& graph = *model->graph;
  for (const Value* output : graph.outputs()) outputs_.emplace_back(output->name());
  stages_ = find_stages(graph);
  for (const Stage& stage : stages_) {
    for (const std::string* name :
         {&stage.integers, &stage.numbers, &stage.scale, &stage.zero_point})
      keep(graph, *name);
  }
  if (!stages_.empty()) session_ = runner_.make_session(std::move(model));
}

void OriginalStages::keep(Graph& graph, const std::string& name) {
  if (name.empty()) return;
  Value& value = *graph.find_value(name);
  if (value.is_constant() || value.has_default()) {
    constants_.emplace(name, RunValue(value.constant()));
  } else if (!value.is_graph_input() && !value.is_graph_output()) {
    graph.add_output(value);
  }
}

void OriginalStages::run(const NamedValues& inputs) {
  std::vector<RunValue> results = runner_.run(*session_, inputs);
  values_.clear();
  for (const auto& [name, value] : inputs) values_.insert_or_assign(name, value);
  const auto outputs = session_->outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    values_.insert_or_assign(std::string(outputs[i]->name()), std::move(results[i]));
}

const RunValue& OriginalStages::value(const std::string& name) const {
  const auto found = values_.find(name);
  return found != values_.end() ? found->second : constants_.at(name);
}

const Tensor* OriginalStages::tensor(const std::string& name) const {
  return name.empty() ? nullptr : &value(name).tensor();
}

ResultStages::ResultStages(std::unique_ptr<Model> model, const OriginalStages& original,
                           const StageRunner& runner)
    : original_(original), runner_(runner) {
  Graph& graph = *model->graph;
  for (const Value* output : graph.outputs()) outputs_.emplace_back(output->name());
  for (const Stage& stage : original.stages()) {
    if (!cut(graph, stage.integers)) continue;
    if (stage.is_dynamic) {
      cut(graph, stage.scale);
      cut(graph, stage.zero_point);
    }
    stages_.push_back(stage);
  }
  if (has_stages()) session_ = runner_.make_session(std::move(model));
}

bool ResultStages::cut(Graph& graph, const std::string& name) {
  Value* const value = name.empty() ? nullptr : graph.find_value(name);
  if (value == nullptr || value->producer() == nullptr) return false;
  std::vector<std::int64_t> places;
  for (const Use& use : value->uses()) {
    if (use.kind == Use::Kind::graph_output) places.push_back(use.index);
  }
  Value& input = graph.add_input("", type_of_input(*value));
  graph.replace_uses(*value, input);
  for (const std::int64_t place : places) graph.set_output(place, *value);
  if (places.empty()) {
    graph.add_output(*value);
    outputs_.push_back(name);
  }
  inputs_.emplace(name, input.name());
  return true;
}

StageVerdict ResultStages::compare(const NamedValues& inputs, const Judge& judge) const {
  NamedValues given = inputs;
  for (const auto& [name, input] : inputs_) given.emplace_back(input, original_.value(name));
  std::vector<RunValue> results = runner_.run(*session_, given);
  std::map<std::string, RunValue> values;
  for (std::size_t i = 0; i < results.size(); ++i)
    values.insert_or_assign(outputs_[i], std::move(results[i]));
  StageVerdict verdict;
  verdict.stages = static_cast<std::int64_t>(stages_.size());
  for (const Stage& stage : stages_) check_stage(stage, values, judge, verdict);
  for (const std::string& name : original_.outputs()) {
    const bool is_judged = std::any_of(stages_.begin(), stages_.end(), [&](const Stage& stage) {
      return stage.integers == name || (stage.is_dynamic && stage.zero_point == name);
    });
    if (is_judged || !verdict.has_passed) continue;
    const Judge::Verdict output =
        judge.compare_output(name, values.at(name), original_.value(name));
    if (output.has_passed) continue;
    verdict.has_passed = false;
    verdict.value = name;
    verdict.reason = output.reason;
  }
  return verdict;
}

void ResultStages::check_stage(const Stage& stage, const std::map<std::string, RunValue>& values,
                               const Judge& judge, StageVerdict& verdict) const {
  const auto refuse = [&](const std::string& value, std::string reason) {
    if (!verdict.has_passed) return;
    verdict.has_passed = false;
    verdict.value = value;
    verdict.reason = std::move(reason);
  };
  const auto found = [&](const std::string& name) {
    const auto place = values.find(name);
    return place != values.end() ? &place->second.tensor() : original_.tensor(name);
  };
  const Tensor& integers = *found(stage.integers);
  const Tensor& expected = *original_.tensor(stage.integers);
  const Tensor& numbers = *original_.tensor(stage.numbers);
  const Tensor& scale = *original_.tensor(stage.scale);
  if (integers.type() != expected.type() || !(integers.shape() == expected.shape()))
    return refuse(stage.integers, "has another type or shape");
  Tolerance tolerance = judge.tolerance_of(numbers.type());
  const Statistics statistics = statistics_of(numbers);
  if (tolerance.atol_of_max) {
    tolerance.atol *= std::max(std::abs(statistics.min), std::abs(statistics.max));
    tolerance.atol_of_max = false;
  }
  if (stage.is_dynamic) {
    const Judge::Verdict factor =
        judge.compare_output(*found(stage.scale), *original_.tensor(stage.scale));
    if (!factor.has_passed) refuse(stage.scale, factor.reason);
    if (!stage.zero_point.empty()) {
      // The zero point is the quantized 0: -least / scale, rounded.
      const Tensor least =
          Tensor::of<float>(Shape(), {static_cast<float>(std::max(0.0, -statistics.min))});
      const RoundingCheck zero =
          check_rounding(*found(stage.zero_point), nullptr, *original_.tensor(stage.zero_point),
                         nullptr, {least, scale}, tolerance);
      if (zero.wrong > 0) refuse(stage.zero_point, wording(zero));
      verdict.rounding.add(zero);
    }
  }
  const RoundingCheck check =
      check_rounding(integers, found(stage.zero_point), expected,
                     original_.tensor(stage.zero_point), {numbers, scale, stage.axis}, tolerance);
  if (check.wrong > 0) refuse(stage.integers, wording(check));
  verdict.rounding.add(check);
}

}  // namespace ortool

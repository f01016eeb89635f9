// Form judge: inputs and float outputs are cached while small, for many evaluations.
#include "libcore/quantize/search/sqnr_judge.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/quantize/calibrate/sample_split.hpp"
#include "libcore/quantize/search/candidate.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_kept_bytes = std::int64_t{32} << 20;
/// Caps the ratio, so that a perfect sample does not outweigh all others.
constexpr double max_ratio_db = 150;
constexpr double min_gain_of_one_db = 0.5;

std::int64_t bytes_of(const RunValue& value) {
  return value.is_tensor() ? value.tensor().size_bytes() : 0;
}

RunOptions run_options(const QuantizeContext& context) {
  RunOptions options;
  options.threads = context.machine.threads;
  options.stop = &context.task.stop;
  return options;
}

/// The input of a final Softmax or Sigmoid, otherwise the output itself.
Value& judged_value(Value& output) {
  const Node* const producer = output.producer();
  const bool is_squeezed =
      producer != nullptr && producer->domain().empty() &&
      (producer->op_type() == "Softmax" || producer->op_type() == "LogSoftmax" ||
       producer->op_type() == "Sigmoid");
  if (!is_squeezed) return output;
  Value& scores = *producer->input(0);
  const bool is_computed = scores.producer() != nullptr && !scores.is_graph_output();
  return is_computed ? scores : output;
}

std::unique_ptr<Session> judged_session(const QuantizeContext& context, const Model& model,
                                        bool judges_scores) {
  const std::unique_ptr<Model> judged = copy_model(model);
  Graph& graph = *judged->graph;
  for (std::size_t i = 0; judges_scores && i < graph.outputs().size(); ++i)
    graph.set_output(static_cast<std::int64_t>(i), judged_value(*graph.outputs()[i]));
  return make_session(context.task, context.machine, *judged, OptimizeLevel::all);
}

}  // namespace

SqnrJudge::SqnrJudge(const QuantizeContext& context, const Model& prepared, const Session& floats,
                     CalibrationData& data)
    : context_(context),
      judges_scores_(split_samples(data.size()).is_apart),
      plain_(floats),
      data_(data),
      samples_(split_samples(data.size()).judging) {
  const auto outputs = prepared.outputs();
  const bool has_scores = std::any_of(outputs.begin(), outputs.end(), [](Value* output) {
    return &judged_value(*output) != output;
  });
  if (judges_scores_ && has_scores) scores_ = judged_session(context, prepared, true);
  std::int64_t bytes = 0;
  Progress progress(context.task, "evaluating");
  progress.expect(static_cast<std::int64_t>(samples_.size()));
  for (const std::int64_t sample : samples_) {
    progress.finish();
    Judged judged = make(sample);
    for (const auto& [name, value] : judged.inputs) bytes += bytes_of(value);
    for (const RunValue& value : judged.outputs) bytes += bytes_of(value);
    if (bytes > max_kept_bytes) break;
    kept_.push_back(std::move(judged));
  }
}

SqnrJudge::Judged SqnrJudge::make(std::int64_t sample) const {
  Judged judged;
  judged.inputs = data_.sample(sample).inputs;
  judged.outputs = scores_ != nullptr
                       ? scores_->run(judged.inputs, run_options(context_))
                       : data_.outputs_of(plain_, sample, judged.inputs, run_options(context_));
  return judged;
}

SampleRatios SqnrJudge::judge(const Model& quantized) const {
  const auto session = judged_session(context_, quantized, judges_scores_);
  SampleRatios ratios;
  Progress progress(context_.task, "evaluating");
  progress.expect(static_cast<std::int64_t>(samples_.size()));
  for (std::size_t i = 0; i < samples_.size(); ++i, progress.finish()) {
    std::optional<Judged> made;
    if (i >= kept_.size()) made = make(samples_[i]);
    const Judged& judged = made ? *made : kept_[i];
    const std::vector<RunValue> found = session->run(judged.inputs, run_options(context_));
    std::vector<OutputError> errors(found.size());
    for (std::size_t k = 0; k < errors.size(); ++k)
      add_output(found[k], judged.outputs[k], errors[k]);
    ratios.push_back(std::clamp(worst_sqnr_db(errors), -max_ratio_db, max_ratio_db));
  }
  return ratios;
}

double mean_of(const SampleRatios& ratios) {
  double sum = 0;
  for (const double ratio : ratios) sum += ratio;
  return ratios.empty() ? 0 : sum / static_cast<double>(ratios.size());
}

MeanGain gain_of(const SampleRatios& ratios, const SampleRatios& others) {
  MeanGain gain{mean_of(ratios) - mean_of(others), 0};
  const auto count = static_cast<double>(ratios.size());
  if (count < 2) return gain;
  double squares = 0;
  for (std::size_t i = 0; i < ratios.size(); ++i)
    squares += std::pow(ratios[i] - others[i] - gain.db, 2);
  gain.error_db = std::sqrt(squares / (count - 1) / count);
  return gain;
}

bool is_better(const SampleRatios& ratios, const SampleRatios& others, RequiredGain bar) {
  const MeanGain gain = gain_of(ratios, others);
  const double least = ratios.size() > 1 ? bar.min_db : std::max(bar.min_db, min_gain_of_one_db);
  return gain.db > least && gain.db > bar.deviations * gain.error_db;
}

}  // namespace ortool

// End-to-end comparison, sample by sample; only sums are kept.
#include "libcore/quantize/report/end_to_end.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/readable_number.hpp"
#include "libcore/dataset/metric.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_samples_end_to_end = 100;
constexpr std::int64_t max_samples_by_value = 8;

/// The argmax of row `row`.
std::int64_t highest(const Tensor& scores, std::int64_t row, std::int64_t count) {
  std::int64_t best = 0;
  double value = element_as_double(scores, row * count);
  for (std::int64_t i = 1; i < count; ++i) {
    const double other = element_as_double(scores, row * count + i);
    if (other > value) {
      value = other;
      best = i;
    }
  }
  return best;
}

void rank(const Tensor& found, const Tensor& expected, OutputError& error) {
  const std::int64_t rows = expected.shape().rank() < 2 ? 1 : expected.shape()[0];
  if (!is_floating_point(expected.type()) || rows == 0 || found.shape() != expected.shape() ||
      !ranks_classes(expected, rows))
    return;
  const std::int64_t count = expected.element_count() / rows;
  if (count < 2) return;
  for (std::int64_t row = 0; row < rows; ++row) {
    ++error.ranked;
    if (highest(found, row, count) == highest(expected, row, count)) ++error.same_first;
  }
}

}  // namespace

void add_output(const RunValue& found, const RunValue& expected, OutputError& error) {
  if (!expected.is_tensor() || !found.is_tensor()) return;
  const Tensor& reference = expected.tensor();
  if (!is_arithmetic(reference.type()) || reference.shape() != found.tensor().shape()) return;
  error.sums.add(found.tensor(), reference);
  rank(found.tensor(), reference, error);
}

std::vector<OutputError> compare_outputs(const TaskContext& task, const QuantizeMachine& machine,
                                         const Session& floats, const Session& quantized,
                                         CalibrationData& data, std::int64_t max_samples,
                                         LabelCounter* labels,
                                         const std::function<void(std::int64_t)>& on_sample) {
  RunOptions options;
  options.threads = machine.threads;
  options.stop = &task.stop;
  std::vector<OutputError> errors;
  for (const Value* output : floats.outputs()) {
    errors.emplace_back();
    errors.back().name = std::string(output->name());
  }
  const std::int64_t count = std::min(data.size(), max_samples);
  Progress progress(on_sample ? StepFunction() : task.on_step, "comparing");
  for (std::int64_t i = 0; i < count; ++i) {
    if (on_sample) on_sample(i);
    progress.tell_done(i, count);
    const Sample sample = data.sample(i);
    const std::vector<RunValue> expected = data.outputs_of(floats, i, sample.inputs, options);
    const std::vector<RunValue> found = quantized.run(sample.inputs, options);
    if (labels != nullptr) labels->add(sample, expected);
    for (std::size_t k = 0; k < errors.size(); ++k) add_output(found[k], expected[k], errors[k]);
  }
  return errors;
}

OptimizeLevel level_of_comparison(const TaskContext& task) {
  return task.memory.limit_bytes() > 0 ? OptimizeLevel::none : OptimizeLevel::all;
}

EndToEnd compare_models(const TaskContext& task, const QuantizeMachine& machine,
                        const Session& floats, const Model& quantized, CalibrationData& data) {
  Progress progress(task, "comparing");
  EndToEnd result;
  result.samples = std::min(data.size(), max_samples_end_to_end);
  LabelCounter labels(data.class_names());
  result.node_samples = std::min(data.size(), max_samples_by_value);
  const std::int64_t total = result.samples + result.node_samples;
  auto session = make_session(task, machine, quantized, level_of_comparison(task));
  result.outputs = compare_outputs(task, machine, floats, *session, data, result.samples, &labels,
                                   [&](std::int64_t done) { progress.tell_done(done, total); });
  result.labels = labels.count();
  for (const OutputError& output : result.outputs) {
    if (output.sums.not_finite() == 0) continue;
    task.warn(
        format("output {}: {} elements are NaN or infinite in only one of the two models; its "
               "figures exclude them",
               quote(output.name), output.sums.not_finite()));
  }
  RunOptions options;
  options.threads = machine.threads;
  options.stop = &task.stop;
  session.reset();
  session = make_session(task, machine, quantized, OptimizeLevel::none);
  ErrorCollector collector({});
  for (std::int64_t i = 0; i < result.node_samples; ++i) {
    progress.tell_done(result.samples + i, total);
    collector.add(floats, *session, data.sample(i).inputs, options);
  }
  result.values = collector.errors();
  return result;
}

std::string decibels(double value) {
  return fixed_number(value, 1) + " dB";
}

}  // namespace ortool

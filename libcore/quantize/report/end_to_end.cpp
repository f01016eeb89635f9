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
constexpr std::int64_t max_run_bytes = std::int64_t{64} << 20;

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

/// Whether the task may use less than half of this machine's memory. The program always has a
/// limit: by default it is most of it.
bool is_memory_scarce(const MemoryCap& memory) {
  const std::int64_t limit = memory.limit_bytes();
  return limit > 0 && limit < machine_memory_bytes() / 2;
}

/// Sequences are not measured: they count as too much.
std::int64_t bytes_of(const RunValue& value) {
  return value.is_tensor() ? value.tensor().size_bytes() : max_run_bytes + 1;
}

/// Keeps runs until they take too much memory.
class RunKeeper {
 public:
  RunKeeper(const TaskContext& task, std::vector<ComparedRun>* runs)
      : runs_(is_memory_scarce(task.memory) ? nullptr : runs) {}

  void keep(const NamedValues& inputs, const std::vector<RunValue>& expected,
            const std::vector<RunValue>& outputs) {
    if (runs_ == nullptr) return;
    for (const auto& [name, value] : inputs) bytes_ += bytes_of(value);
    for (const RunValue& value : expected) bytes_ += bytes_of(value);
    for (const RunValue& value : outputs) bytes_ += bytes_of(value);
    if (bytes_ > max_run_bytes) {
      runs_->clear();
      runs_ = nullptr;
      return;
    }
    runs_->push_back({inputs, expected, outputs});
  }

 private:
  std::vector<ComparedRun>* runs_;
  std::int64_t bytes_ = 0;
};

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

std::vector<OutputError> errors_of_outputs(const Session& session) {
  std::vector<OutputError> errors;
  for (const Value* output : session.outputs()) {
    errors.emplace_back();
    errors.back().name = std::string(output->name());
  }
  return errors;
}

void add_outputs(const std::vector<RunValue>& found, const std::vector<RunValue>& expected,
                 std::vector<OutputError>& errors) {
  for (std::size_t k = 0; k < errors.size(); ++k) add_output(found[k], expected[k], errors[k]);
}

std::vector<OutputError> compare_outputs(const TaskContext& task, const QuantizeMachine& machine,
                                         const Session& floats, const Session& quantized,
                                         CalibrationData& data, std::int64_t max_samples,
                                         LabelCounter* labels,
                                         const std::function<void(std::int64_t)>& on_sample,
                                         std::vector<ComparedRun>* runs) {
  RunOptions options;
  options.threads = machine.threads;
  options.stop = &task.stop;
  std::vector<OutputError> errors = errors_of_outputs(floats);
  const std::int64_t count = std::min(data.size(), max_samples);
  RunKeeper keeper(task, runs);
  Progress progress(on_sample ? StepFunction() : task.on_step, "comparing");
  for (std::int64_t i = 0; i < count; ++i) {
    if (on_sample) on_sample(i);
    progress.tell_done(i, count);
    const Sample sample = data.sample(i);
    const std::vector<RunValue> expected = data.outputs_of(floats, i, sample.inputs, options);
    const std::vector<RunValue> found = quantized.run(sample.inputs, options);
    if (labels != nullptr) labels->add(sample, expected);
    keeper.keep(sample.inputs, expected, found);
    add_outputs(found, expected, errors);
  }
  return errors;
}

OptimizeLevel level_of_comparison(const TaskContext& task) {
  return is_memory_scarce(task.memory) ? OptimizeLevel::none : OptimizeLevel::all;
}

EndToEnd compare_models(const TaskContext& task, const QuantizeMachine& machine,
                        const Session& floats, const Model& quantized, CalibrationData& data,
                        std::int64_t max_by_value) {
  Progress progress(task, "comparing");
  EndToEnd result;
  result.samples = std::min(data.size(), max_samples_end_to_end);
  LabelCounter labels(data.class_names());
  result.node_samples = std::min(data.size(), max_by_value);
  const std::int64_t total = result.samples + result.node_samples;
  auto session = make_session(task, machine, quantized, level_of_comparison(task));
  result.outputs = compare_outputs(task, machine, floats, *session, data, result.samples, &labels,
                                   [&](std::int64_t done) { progress.tell_done(done, total); },
                                   &result.runs);
  result.labels = labels.count();
  for (const OutputError& output : result.outputs) {
    if (output.sums.not_finite() == 0) continue;
    task.warn(
        format("output {}: {} elements are NaN or infinite in only one of the two models; its "
               "figures exclude them",
               quote(output.name), output.sums.not_finite()));
  }
  session.reset();
  result.values = compare_values(
      task, machine, floats, quantized, data, result.node_samples,
      [&](std::int64_t done) { progress.tell_done(result.samples + done, total); });
  return result;
}

std::vector<ValueError> compare_values(const TaskContext& task, const QuantizeMachine& machine,
                                       const Session& floats, const Model& quantized,
                                       CalibrationData& data, std::int64_t samples,
                                       const std::function<void(std::int64_t)>& on_sample) {
  RunOptions options;
  options.threads = machine.threads;
  options.stop = &task.stop;
  const auto session = make_session(task, machine, quantized, OptimizeLevel::none);
  ErrorCollector collector({});
  for (std::int64_t i = 0; i < samples; ++i) {
    if (on_sample) on_sample(i);
    collector.add(floats, *session, data.sample(i).inputs, options);
  }
  return collector.errors();
}

std::string decibels(double value) {
  return fixed_number(value, 1) + " dB";
}

}  // namespace ortool

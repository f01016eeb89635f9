// End-to-end comparison of the quantized with the float model: outputs and intermediate values.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "libcore/quantize/calibrate/calibrate.hpp"
#include "libcore/quantize/report/label_counter.hpp"
#include "libcore/quantize/report/node_error.hpp"

namespace ortool {

/// The error of one output.
struct OutputError {
  std::string name;
  ErrorSums sums;
  std::int64_t ranked = 0;      ///< rows whose top-1 element was compared; 0: not scores
  std::int64_t same_first = 0;  ///< with the same top-1 element
};

/// A sample, and what the float and the quantized model made of it.
struct ComparedRun {
  NamedValues inputs;
  std::vector<RunValue> expected;
  std::vector<RunValue> outputs;
};

struct EndToEnd {
  std::int64_t samples = 0;
  std::vector<OutputError> outputs;
  std::int64_t node_samples = 0;     ///< of those, compared value by value
  std::vector<ValueError> values;    ///< in topological order
  std::optional<LabelCount> labels;  ///< the float model's accuracy on labels, if any
  /// Of all samples, for another comparison; none where they take more than 64 MiB, or where the
  /// task may use less than half of the machine's memory.
  std::vector<ComparedRun> runs;
};

/// Adds the error of an output of one sample, if both are numeric tensors of the same shape.
void add_output(const RunValue& found, const RunValue& expected, OutputError& error);

/// One for each output of the session, without any error yet.
std::vector<OutputError> errors_of_outputs(const Session& session);

/// Adds the errors of all outputs of one sample.
void add_outputs(const std::vector<RunValue>& found, const std::vector<RunValue>& expected,
                 std::vector<OutputError>& errors);

/// The optimize level of sessions whose outputs are compared: all, or none if the task may use less
/// than half of the machine's memory, since such sessions pack no weights.
OptimizeLevel level_of_comparison(const TaskContext& task);

/// Samples whose intermediate values are compared, unless there is less time.
constexpr std::int64_t samples_by_value = 8;

/// Runs both models on samples of the data: outputs on up to 100, where the quantized model has the
/// level of comparisons, and intermediate values on the first `max_by_value`, node by node as
/// `floats` does, which takes most of the time.
EndToEnd compare_models(const TaskContext& task, const QuantizeMachine& machine,
                        const Session& floats, const Model& quantized, CalibrationData& data,
                        std::int64_t max_by_value = samples_by_value);

/// Compares intermediate values only, node by node, on the first `samples`. `on_sample`, which may
/// be empty, is called with each sample's index.
std::vector<ValueError> compare_values(const TaskContext& task, const QuantizeMachine& machine,
                                       const Session& floats, const Model& quantized,
                                       CalibrationData& data, std::int64_t samples,
                                       const std::function<void(std::int64_t)>& on_sample = {});

/// Compares outputs only, on at most `max_samples`. `labels`, which may be null, counts the float
/// model's correct labels; `on_sample`, which may be empty, is called with each sample's index. `runs`,
/// which may be null, takes those of EndToEnd.
std::vector<OutputError> compare_outputs(const TaskContext& task, const QuantizeMachine& machine,
                                         const Session& floats, const Session& quantized,
                                         CalibrationData& data, std::int64_t max_samples,
                                         LabelCounter* labels = nullptr,
                                         const std::function<void(std::int64_t)>& on_sample = {},
                                         std::vector<ComparedRun>* runs = nullptr);

/// Formats as "46.8 dB".
std::string decibels(double value);

}  // namespace ortool

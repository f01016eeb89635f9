// The quantised model beside the float one: outputs, and every value in between.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/quantize/calibrate/calibrate.hpp"
#include "libcore/quantize/report/label_counter.hpp"
#include "libcore/quantize/report/node_error.hpp"

namespace ortool {

/// How far one output is off.
struct OutputError {
  std::string name;
  ErrorSums sums;
  std::int64_t ranked = 0;      ///< samples whose highest element was compared; 0: no scores
  std::int64_t same_first = 0;  ///< with the highest element at the same place
};

struct EndToEnd {
  std::int64_t samples = 0;
  std::vector<OutputError> outputs;
  std::int64_t node_samples = 0;     ///< of those, looked at value by value
  std::vector<ValueError> values;    ///< in the order of computation
  std::optional<LabelCount> labels;  ///< how often the float model is right, where there are some
};

/// Adds what an output of one sample is off by, where both are tensors of numbers of one shape.
void add_output(const RunValue& found, const RunValue& expected, OutputError& error);

/// Runs both sessions, which compute every node by itself, on samples of the data: all up to a
/// hundred end to end, the first sixteen value by value.
EndToEnd compare_models(const TaskContext& task, const QuantizeMachine& machine,
                        const Session& floats, const Session& quantized, CalibrationData& data);

/// The same of the outputs alone, on at most `most_samples`. `labels`, which may be null, counts
/// what the float model says.
std::vector<OutputError> compare_outputs(const TaskContext& task, const QuantizeMachine& machine,
                                         const Session& floats, const Session& quantized,
                                         CalibrationData& data, std::int64_t most_samples,
                                         LabelCounter* labels = nullptr);

/// "46.8 dB".
std::string decibels(double value);

}  // namespace ortool

// Error record: how a quantized model differs from its float model over a data set, or a shard of
// it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "libcore/dataset/metrics/metric_state.hpp"
#include "libcore/quantize/report/end_to_end.hpp"

namespace ortool {

/// Kind of the parts of an error record.
inline constexpr std::string_view errors_kind = "errors";

struct ErrorRecord {
  std::int64_t samples = 0;
  std::vector<OutputError> outputs;
  std::vector<ValueError> values;  ///< in the order in which they are computed

  /// Adds the sums over other samples of the same models; the result does not depend on how samples
  /// were split.
  void merge(const ErrorRecord& other);
  /// All sums, exactly.
  Json state() const;
  /// The inverse. Throws ErrorCode::invalid for a state that is not as it was written.
  static ErrorRecord from_state(const MetricState& state);
};

/// Runs the float model node by node, as `floats` does, and the quantized one on all samples of the
/// data: outputs are those of a session that computes as a run does, values those of one that runs
/// every node separately.
ErrorRecord measure_errors(const TaskContext& task, const QuantizeMachine& machine,
                           const Session& floats, const Model& quantized, CalibrationData& data);

}  // namespace ortool

// Model estimate: the time of a run on a described device, node by node.
#pragma once

#include <string>
#include <vector>

#include "libcore/measure/bench/bench_runner.hpp"
#include "libcore/measure/estimate/node_estimate.hpp"

namespace ortool {

struct EstimateRow {
  std::string node;
  std::string op_type;
  double calls = 0;
  double macs = 0;   ///< of all calls, like what follows
  double bytes = 0;
  double ms = 0;
  Bound bound = Bound::unknown;  ///< of the longest call
};

struct ModelEstimate {
  std::string variant;
  int threads = 1;  ///< that the device has cores for
  double ms = 0;
  double overhead_ms = 0;  ///< outside of kernels
  double macs = 0;
  double weight_bytes = 0;
  std::vector<EstimateRow> rows;  ///< the longest first
};

/// Runs the session twice, for its kernel calls and the sizes of all values; nothing is timed. The
/// session must have been compiled for the shapes of the runner's inputs.
ModelEstimate estimate_model(const std::string& variant, const BenchRunner& runner,
                             const Device& device, int threads);

}  // namespace ortool

// Node profile: time per node, with its operations, memory traffic and roofline bound.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libcore/measure/bench/bench_runner.hpp"
#include "libcore/measure/roofline.hpp"

namespace ortool {

struct NodeRow {
  std::string node;
  std::vector<std::string> origin;  ///< nodes of the file that it corresponds to
  std::string op_type;
  std::string provider;
  std::string kernel;
  std::string shape;        ///< of the first output
  double ms = 0;            ///< median over the profiled runs
  double share = 0;         ///< of the time in kernels
  double gflops = 0;        ///< 0: unknown
  double gbytes_per_s = 0;  ///< 0: unknown
  double flops = 0;
  double bytes = 0;
  Bound bound = Bound::unknown;
};

struct NodeProfile {
  std::string variant;
  double run_ms = 0;
  double kernels_ms = 0;
  MachineLimits limits;
  std::vector<NodeRow> rows;  ///< the longest first
  Profile last;               ///< of the last run, for the trace
};

/// Runs the lane several times with profiling; its session must be in this process. Work is counted
/// for the file's own nodes, with the shapes of the inputs: `load_file` loads the model as in the
/// file, or returns null when it cannot be read again.
NodeProfile profile_nodes(const std::string& variant, BenchRunner& runner,
                          const MachineLimits& limits,
                          const std::function<std::unique_ptr<Model>()>& load_file,
                          const StopToken& stop);

}  // namespace ortool

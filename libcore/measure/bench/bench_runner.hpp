// Benchmark lane: a prepared variant that runs in blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/provider/device/device_clocks.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// The costs of a variant's session other than its runs.
struct RunnerFacts {
  double load_ms = 0;
  double compile_ms = 0;
  double first_run_ms = 0;
  /// The first run with these shapes in a session that has already run with others.
  std::optional<double> new_shape_ms;
  std::vector<std::string> providers;  ///< that compute nodes, in order of first use
  std::int64_t fallback_nodes = 0;     ///< not on the first provider requested, if one was
  std::int64_t weight_bytes = 0;       ///< packed, and constants read in place
  std::int64_t arena_bytes = 0;
  bool has_device = false;  ///< kernels of the first run told of a device
};

/// What a run takes on devices: medians over some runs behind the measured ones.
struct DeviceTimes {
  double copy_in_ms = 0;
  double compute_ms = 0;
  double copy_out_ms = 0;
  std::int64_t memory_bytes = 0;       ///< in use at most; 0: not known
  std::optional<DeviceClocks> clocks;  ///< at the end of these runs; nothing: not known
};

/// Consecutive runs by each caller.
struct RunnerBlock {
  std::vector<double> samples_ms;  ///< of one run each
  double wall_ms = 0;              ///< of all together
};

class BenchRunner {
 public:
  virtual ~BenchRunner() = default;

  /// At least `runs` runs; several callers perform the same number each.
  virtual RunnerBlock run(std::int64_t runs) = 0;
  virtual RunnerFacts facts() const = 0;
  /// Runs some more times. Nothing where no device computes, or does not tell.
  virtual std::optional<DeviceTimes> device_times() { return std::nullopt; }
  /// Null when it runs in another process.
  virtual const Session* session() const { return nullptr; }
  virtual const NamedValues* inputs() const { return nullptr; }
  virtual RunOptions run_options() const { return {}; }
};

/// Runs once, and adds to `facts` what that shows.
void time_first_run(const Session& session, const NamedValues& inputs, const RunOptions& options,
                    RunnerFacts& facts);

/// The time of one run in milliseconds; outputs are freed after the clock has stopped.
double timed_run_ms(const Session& session, const NamedValues& inputs, const RunOptions& options);

/// Adds which providers compute the nodes of `session`; `first` is the requested provider, empty
/// when there was none.
void describe_placement(const Session& session, const std::string& first, RunnerFacts& facts);

/// A lane in which `callers` concurrent callers share a session, which must outlive it.
std::unique_ptr<BenchRunner> make_session_runner(const Session& session, RunnerFacts facts,
                                                 NamedValues inputs, RunOptions options,
                                                 int callers);

}  // namespace ortool

// Benchmark lane: a variant made ready, which runs in blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/runtime/session.hpp"

namespace ortool {

/// What a variant's session took and holds, beside its runs.
struct LaneFacts {
  double load_ms = 0;
  double compile_ms = 0;
  double first_run_ms = 0;
  /// The first run with these shapes in a session that had run with others.
  std::optional<double> new_shape_ms;
  std::vector<std::string> providers;  ///< that compute nodes, in the order of their first
  std::int64_t fallback_nodes = 0;     ///< not computed by the first provider named, where one was
  std::int64_t weight_bytes = 0;       ///< packed, and constants read where they lie
  std::int64_t arena_bytes = 0;
};

/// Runs one after the other by each caller.
struct LaneBlock {
  std::vector<double> samples_ms;  ///< of one run each
  double wall_ms = 0;              ///< of all together
};

class Lane {
 public:
  virtual ~Lane() = default;

  /// At least `runs` runs: with several callers, the same number for each.
  virtual LaneBlock run(std::int64_t runs) = 0;
  virtual LaneFacts facts() const = 0;
  /// Null where it runs in another process.
  virtual const Session* session() const { return nullptr; }
  virtual const NamedValues* inputs() const { return nullptr; }
  virtual RunOptions run_options() const { return {}; }
};

/// One run of a session with its outputs thrown away after the clock stopped, in milliseconds.
double timed_run_ms(const Session& session, const NamedValues& inputs, const RunOptions& options);

/// Adds who computes the nodes of `session`; `first` is the provider that was asked for, empty
/// where none was.
void describe_placement(const Session& session, const std::string& first, LaneFacts& facts);

/// A lane that runs a session it shares, which outlives it, by `callers` at once.
std::unique_ptr<Lane> make_session_lane(const Session& session, LaneFacts facts, NamedValues inputs,
                                        RunOptions options, int callers);

}  // namespace ortool

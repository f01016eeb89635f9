// A variant made ready: runs it in blocks, and tells what making it ready took.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/ortool/bench/bench_variant.hpp"
#include "apps/ortool/options/input_options.hpp"
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

/// The variant's inputs, as a session of its own gets them; says what was made up or guessed. With
/// `describes` the model's block goes into the report.
std::vector<GivenInput> gather_variant_inputs(const Invocation& invocation,
                                              const BenchSettings& settings,
                                              const BenchVariant& variant, bool describes);

/// Makes lanes in this process. Variants that differ in their dimensions alone share a session.
class LaneMaker {
 public:
  /// The invocation and settings outlive it and its lanes.
  LaneMaker(const Invocation& invocation, const BenchSettings& settings);
  ~LaneMaker();

  /// Loads, compiles and runs once. Throws what is wrong with model, inputs or providers.
  std::unique_ptr<Lane> make(const BenchVariant& variant);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_session(const BenchVariant& variant, const OptionValues& options);

  const Invocation& invocation_;
  const BenchSettings& settings_;
  ThreadPool pool_;
  std::vector<std::shared_ptr<Shared>> sessions_;
  bool is_described_ = false;
};

}  // namespace ortool

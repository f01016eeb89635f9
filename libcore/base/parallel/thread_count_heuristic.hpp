// Heuristic for sharing a run and its steps among threads, based on measured times.
#pragma once

#include <chrono>
#include <cstdint>

#include "libcore/base/parallel/run_strategy.hpp"
#include "libcore/base/parallel/step_timings.hpp"

namespace ortool {

/// Used by one run at a time. Its measurements outlive the run.
class ThreadCountHeuristic {
 public:
  using Clock = std::chrono::steady_clock;
  using Mode = StepTimings::Mode;

  void begin_run();
  /// Records the run's time; not to be called for a run that ends with an error.
  void end_run();
  /// Other runs started meanwhile, so the time of this one is not recorded.
  void set_oversubscribed() { is_oversubscribed_ = true; }

  /// The first step of a run identifies the kind of run. `key` is not 0.
  void begin_step(std::uint64_t key);
  /// Discards the time of the current step.
  void forget_step() { step_key_ = 0; }
  /// The mode for the jobs of the current step.
  Mode mode() const { return mode_; }
  /// A job of the current step has ended, with or without help of other threads.
  void end_job(bool had_help);

 private:
  void end_step();

  StepTimings steps_;
  RunStrategies runs_;
  /// 0 until the first named job of the run.
  std::uint64_t run_key_ = 0;
  RunStrategies::Strategy run_strategy_ = RunStrategies::Strategy::shared;
  Clock::time_point run_begin_;
  bool is_oversubscribed_ = false;
  /// 0: no step is measured. Measured from the start of its first job to the end of its last.
  std::uint64_t step_key_ = 0;
  Mode mode_ = Mode::shared;
  bool had_help_ = false;
  Clock::time_point step_begin_;
  Clock::time_point step_end_;
};

}  // namespace ortool

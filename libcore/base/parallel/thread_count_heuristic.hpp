// How the run under way and its steps are done, and what they took.
#pragma once

#include <chrono>
#include <cstdint>

#include "libcore/base/parallel/run_strategy.hpp"
#include "libcore/base/parallel/step_timings.hpp"

namespace ortool {

/// Asked and told by one run at a time. What it learns outlives the run.
class SharingHabits {
 public:
  using Clock = std::chrono::steady_clock;
  using Way = SharingMemory::Way;

  void begin_run();
  /// Records the run's time; not for one that ends by an error.
  void end_run();
  /// Other runs began meanwhile: this one's time tells nothing.
  void set_crowded() { is_crowded_ = true; }

  /// The first step of a run tells what kind of run it is. `key` is not 0.
  void begin_step(std::uint64_t key);
  /// The step's time tells nothing.
  void forget_step() { step_key_ = 0; }
  /// How the jobs of the step under way are to be done.
  Way way() const { return way_; }
  /// A job of the step ended now, with the help of others or not.
  void end_job(bool had_help);

 private:
  void end_step();

  SharingMemory steps_;
  RunMemory runs_;
  /// 0 until the run's first named job.
  std::uint64_t run_key_ = 0;
  RunMemory::Way run_way_ = RunMemory::Way::shared;
  Clock::time_point run_begin_;
  bool is_crowded_ = false;
  /// 0: none that is measured. From its first job's begin to its last's end.
  std::uint64_t step_key_ = 0;
  Way way_ = Way::shared;
  bool had_help_ = false;
  Clock::time_point step_begin_;
  Clock::time_point step_end_;
};

}  // namespace ortool

// Chooses the strategy of a run first, then of its steps if the run is decided step by step.
#include "libcore/base/parallel/thread_count_heuristic.hpp"

#include <exception>

namespace ortool {

void SharingHabits::begin_run() {
  is_crowded_ = false;
  run_key_ = 0;
  run_begin_ = Clock::now();
}

void SharingHabits::end_run() {
  end_step();
  if (run_key_ != 0 && !is_crowded_ && std::uncaught_exceptions() == 0)
    runs_.record(run_key_, Clock::now() - run_begin_);
}

void SharingHabits::begin_step(std::uint64_t key) {
  if (run_key_ == 0) {
    run_key_ = key;
    run_way_ = runs_.choose(key);
  }
  if (run_way_ != RunMemory::Way::by_step) {
    way_ = run_way_ == RunMemory::Way::shared ? Way::shared : Way::settled_alone;
    return;
  }
  end_step();
  step_key_ = key;
  way_ = steps_.choose(key);
  had_help_ = false;
  if (way_ != Way::settled_alone) step_begin_ = Clock::now();
}

void SharingHabits::end_job(bool had_help) {
  if (step_key_ == 0 || way_ == Way::settled_alone) return;
  had_help_ = had_help_ || had_help;
  step_end_ = Clock::now();
}

void SharingHabits::end_step() {
  const bool is_known = way_ == Way::alone || (way_ == Way::shared && had_help_);
  if (step_key_ != 0 && is_known)
    steps_.record(step_key_, way_ == Way::shared, step_end_ - step_begin_);
  step_key_ = 0;
}

}  // namespace ortool

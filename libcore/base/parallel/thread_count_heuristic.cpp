// Chooses the strategy of a run first, then of its steps if the run is decided step by step.
#include "libcore/base/parallel/thread_count_heuristic.hpp"

#include <exception>

namespace ortool {

void ThreadCountHeuristic::begin_run() {
  is_oversubscribed_ = false;
  run_key_ = 0;
  run_begin_ = Clock::now();
}

void ThreadCountHeuristic::end_run() {
  end_step();
  if (run_key_ != 0 && !is_oversubscribed_ && std::uncaught_exceptions() == 0)
    runs_.record(run_key_, Clock::now() - run_begin_);
}

void ThreadCountHeuristic::begin_step(std::uint64_t key) {
  if (run_key_ == 0) {
    run_key_ = key;
    run_strategy_ = runs_.choose(key);
  }
  if (run_strategy_ != RunStrategies::Strategy::by_step) {
    mode_ = run_strategy_ == RunStrategies::Strategy::shared ? Mode::shared : Mode::known_alone;
    return;
  }
  end_step();
  step_key_ = key;
  mode_ = steps_.choose(key);
  had_help_ = false;
  if (mode_ != Mode::known_alone) step_begin_ = Clock::now();
}

void ThreadCountHeuristic::end_job(bool had_help) {
  if (step_key_ == 0 || mode_ == Mode::known_alone) return;
  had_help_ = had_help_ || had_help;
  step_end_ = Clock::now();
}

void ThreadCountHeuristic::end_step() {
  const bool is_known = mode_ == Mode::alone || (mode_ == Mode::shared && had_help_);
  if (step_key_ != 0 && is_known)
    steps_.record(step_key_, mode_ == Mode::shared, step_end_ - step_begin_);
  step_key_ = 0;
}

}  // namespace ortool

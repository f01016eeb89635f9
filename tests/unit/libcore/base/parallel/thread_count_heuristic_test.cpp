// Thread-count heuristic: how runs and their steps execute.
#include "libcore/base/parallel/thread_count_heuristic.hpp"

#include <stdexcept>

#include <catch2/catch.hpp>

namespace ortool {
namespace {

using StepMode = StepTimings::Mode;

/// A run of one step with one job; true if the job is shared.
bool run_once(ThreadCountHeuristic& heuristic, bool is_oversubscribed) {
  heuristic.begin_run();
  heuristic.begin_step(7);
  const bool is_shared = heuristic.mode() == StepMode::shared;
  heuristic.end_job(is_shared);
  if (is_oversubscribed) heuristic.set_oversubscribed();
  heuristic.end_run();
  return is_shared;
}

/// The same for a run that ends with an error.
bool fail_once(ThreadCountHeuristic& heuristic) {
  struct Run {
    ThreadCountHeuristic& heuristic;
    explicit Run(ThreadCountHeuristic& given) : heuristic(given) { heuristic.begin_run(); }
    ~Run() { heuristic.end_run(); }
  };
  bool is_shared = false;
  try {
    const Run run(heuristic);
    heuristic.begin_step(7);
    is_shared = heuristic.mode() == StepMode::shared;
    throw std::runtime_error("stopped");
  } catch (const std::runtime_error&) {
  }
  return is_shared;
}

TEST_CASE("the first runs are shared, then some are done alone, whatever they take") {
  ThreadCountHeuristic heuristic;
  for (int run = 0; run < 6; ++run) CHECK(run_once(heuristic, false));
  for (int run = 0; run < 6; ++run) CHECK_FALSE(run_once(heuristic, false));
}

TEST_CASE("runs whose times tell nothing go on being shared after the first trials") {
  ThreadCountHeuristic heuristic;
  constexpr int first_trials = 26;
  for (int run = 0; run < first_trials; ++run) run_once(heuristic, true);
  for (int run = 0; run < 60; ++run) CHECK(run_once(heuristic, true));
}

TEST_CASE("runs that end by an error have no time") {
  ThreadCountHeuristic heuristic;
  constexpr int first_trials = 26;
  for (int run = 0; run < first_trials; ++run) fail_once(heuristic);
  for (int run = 0; run < 60; ++run) CHECK(fail_once(heuristic));
}

}  // namespace
}  // namespace ortool

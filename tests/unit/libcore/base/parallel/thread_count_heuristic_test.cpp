// How runs and their steps go on, as a run asks for it.
#include "libcore/base/parallel/thread_count_heuristic.hpp"

#include <stdexcept>

#include <catch2/catch.hpp>

namespace ortool {
namespace {

using SharingWay = SharingMemory::Way;

/// A run of one step of one job; true when it is shared.
bool run_once(SharingHabits& habits, bool is_crowded) {
  habits.begin_run();
  habits.begin_step(7);
  const bool is_shared = habits.way() == SharingWay::shared;
  habits.end_job(is_shared);
  if (is_crowded) habits.set_crowded();
  habits.end_run();
  return is_shared;
}

/// The same for one that ends by an error.
bool fail_once(SharingHabits& habits) {
  struct Run {
    SharingHabits& habits;
    explicit Run(SharingHabits& given) : habits(given) { habits.begin_run(); }
    ~Run() { habits.end_run(); }
  };
  bool is_shared = false;
  try {
    const Run run(habits);
    habits.begin_step(7);
    is_shared = habits.way() == SharingWay::shared;
    throw std::runtime_error("stopped");
  } catch (const std::runtime_error&) {
  }
  return is_shared;
}

TEST_CASE("the first runs are shared, then some are done alone, whatever they take") {
  SharingHabits habits;
  for (int run = 0; run < 6; ++run) CHECK(run_once(habits, false));
  for (int run = 0; run < 6; ++run) CHECK_FALSE(run_once(habits, false));
}

TEST_CASE("runs whose times tell nothing go on being shared after the first trials") {
  SharingHabits habits;
  constexpr int first_trials = 26;
  for (int run = 0; run < first_trials; ++run) run_once(habits, true);
  for (int run = 0; run < 60; ++run) CHECK(run_once(habits, true));
}

TEST_CASE("runs that end by an error have no time") {
  SharingHabits habits;
  constexpr int first_trials = 26;
  for (int run = 0; run < first_trials; ++run) fail_once(habits);
  for (int run = 0; run < 60; ++run) CHECK(fail_once(habits));
}

}  // namespace
}  // namespace ortool

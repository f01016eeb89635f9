// Step timings: which jobs are shared and which run on one thread, by their measured times.
#include "libcore/base/parallel/step_timings.hpp"

#include <catch2/catch.hpp>

namespace ortool {
namespace {

using StepMode = StepTimings::Mode;
using std::chrono::microseconds;

/// How many of `uses` executions share the job if it takes these times.
int shared_uses(StepTimings& memory, std::uint64_t key, int uses, microseconds alone,
                microseconds shared) {
  int count = 0;
  for (int i = 0; i < uses; ++i) {
    const StepMode mode = memory.choose(key);
    if (mode == StepMode::shared) ++count;
    if (mode != StepMode::known_alone)
      memory.record(key, mode == StepMode::shared, mode == StepMode::shared ? shared : alone);
  }
  return count;
}

TEST_CASE("a job is done alone where sharing takes longer, save for a few trials") {
  StepTimings memory;
  CHECK(shared_uses(memory, 7, 1000, microseconds(4), microseconds(9)) <= 12);
}

TEST_CASE("a job is shared where that takes less time, save for a few trials") {
  StepTimings memory;
  CHECK(shared_uses(memory, 7, 1000, microseconds(60), microseconds(33)) >= 985);
}

TEST_CASE("a saving of a few per cent is not worth a second thread") {
  StepTimings memory;
  CHECK(shared_uses(memory, 7, 1000, microseconds(60), microseconds(57)) <= 12);
}

TEST_CASE("a long job is always shared") {
  StepTimings memory;
  CHECK(shared_uses(memory, 7, 1000, microseconds(1), microseconds(200)) == 1000);
}

TEST_CASE("a job that becomes worth sharing is found out") {
  StepTimings memory;
  CHECK(shared_uses(memory, 7, 1000, microseconds(4), microseconds(9)) <= 12);
  CHECK(shared_uses(memory, 7, 40000, microseconds(60), microseconds(3)) >= 39000);
}

TEST_CASE("jobs with other keys are judged apart, and more of them than there is room for") {
  StepTimings memory;
  for (std::uint64_t key = 1; key <= 5000; ++key) {
    CHECK(memory.choose(key) == StepMode::shared);
    memory.record(key, true, microseconds(9));
  }
  CHECK(shared_uses(memory, 1, 1000, microseconds(4), microseconds(9)) <= 12);
  CHECK(shared_uses(memory, 2, 1000, microseconds(60), microseconds(33)) >= 985);
}

}  // namespace
}  // namespace ortool

// Run strategies: how repeated runs execute, by their measured times.
#include "libcore/base/parallel/run_strategy.hpp"

#include <array>

#include <catch2/catch.hpp>

namespace ortool {
namespace {

using RunStrategy = RunStrategies::Strategy;
using std::chrono::microseconds;

/// The time of a run with each strategy.
struct Costs {
  microseconds shared;
  microseconds alone;
  microseconds by_step;

  microseconds of(RunStrategy strategy) const {
    return strategy == RunStrategy::shared  ? shared
           : strategy == RunStrategy::alone ? alone
                                            : by_step;
  }
};

/// How many of `runs` runs use each strategy.
std::array<int, 3> strategies_of(RunStrategies& memory, std::uint64_t key, int runs,
                                 const Costs& costs) {
  std::array<int, 3> counts = {};
  for (int run = 0; run < runs; ++run) {
    const RunStrategy strategy = memory.choose(key);
    ++counts[static_cast<std::size_t>(strategy)];
    memory.record(key, costs.of(strategy));
  }
  return counts;
}

int count_of(const std::array<int, 3>& counts, RunStrategy strategy) {
  return counts[static_cast<std::size_t>(strategy)];
}

TEST_CASE("runs go on in the way that took least, save for a few trials") {
  const Costs shared_wins = {microseconds(50), microseconds(90), microseconds(70)};
  const Costs alone_wins = {microseconds(90), microseconds(50), microseconds(70)};
  const Costs steps_win = {microseconds(90), microseconds(70), microseconds(50)};
  RunStrategies memory;
  CHECK(count_of(strategies_of(memory, 1, 10000, shared_wins), RunStrategy::shared) >= 9800);
  CHECK(count_of(strategies_of(memory, 2, 10000, alone_wins), RunStrategy::alone) >= 9800);
  CHECK(count_of(strategies_of(memory, 3, 10000, steps_win), RunStrategy::by_step) >= 9800);
}

TEST_CASE("a run for which sharing saves next to nothing is done alone") {
  RunStrategies memory;
  const Costs costs = {microseconds(995), microseconds(1000), microseconds(999)};
  CHECK(count_of(strategies_of(memory, 1, 10000, costs), RunStrategy::alone) >= 9800);
}

TEST_CASE("a long run is never tried alone") {
  RunStrategies memory;
  const Costs costs = {microseconds(30000), microseconds(10), microseconds(29000)};
  CHECK(count_of(strategies_of(memory, 1, 10000, costs), RunStrategy::alone) == 0);
}

TEST_CASE("a way that becomes the better one is found out") {
  RunStrategies memory;
  strategies_of(memory, 1, 10000, {microseconds(90), microseconds(50), microseconds(70)});
  const auto counts =
      strategies_of(memory, 1, 10000, {microseconds(50), microseconds(90), microseconds(70)});
  CHECK(count_of(counts, RunStrategy::shared) >= 7000);
}

TEST_CASE("one disturbed run in four does not change the way") {
  RunStrategies memory;
  int alone = 0;
  for (int run = 0; run < 10000; ++run) {
    const RunStrategy strategy = memory.choose(1);
    alone += strategy == RunStrategy::alone ? 1 : 0;
    const microseconds usual(strategy == RunStrategy::alone ? 60 : 50);
    memory.record(1, run % 4 == 0 ? 20 * usual : usual);
  }
  CHECK(alone <= 100);
}

TEST_CASE("runs that did not end are not counted, and kinds are judged apart") {
  RunStrategies memory;
  for (int run = 0; run < 1000; ++run) memory.choose(1);
  for (std::uint64_t key = 2; key < 1000; ++key) strategies_of(memory, key, 3, {});
  const Costs alone_wins = {microseconds(90), microseconds(50), microseconds(70)};
  CHECK(count_of(strategies_of(memory, 1, 10000, alone_wins), RunStrategy::alone) >= 9800);
}

}  // namespace
}  // namespace ortool

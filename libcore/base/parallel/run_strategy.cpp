// Selects the execution strategy of recurring runs by trials, compared by median time.
#include "libcore/base/parallel/run_strategy.hpp"

#include <algorithm>

namespace ortool {
namespace {

using Strategy = RunStrategies::Strategy;

/// Number of runs in a trial. The first one finds caches and threads in the state of another
/// strategy and is not counted. Runs below `short_ns` need more samples, since one disturbance
/// would spoil the result.
constexpr std::uint32_t trial_of_long_runs = 6;
constexpr std::uint32_t trial_of_short_runs = 16;
constexpr std::int64_t short_ns = 300'000;
/// Additional runs in the by-step trial, until the individual steps have been measured.
constexpr std::uint32_t until_steps_are_known = 8;
/// The distance between trials as a multiple of a trial's length: at first, and its doublings at
/// most.
constexpr std::uint32_t min_between_trials = 10;
constexpr std::uint32_t max_doublings = 4;
/// Runs longer than this have enough work to share, and a trial would be too expensive.
constexpr std::int64_t long_run_ns = 20'000'000;
/// Minimum gain in percent for switching strategies, and for sharing over running alone: smaller
/// gains are noise, and not worth a second processor.
constexpr std::int64_t min_run_gain = 2;

bool is_better(Strategy rival, std::int64_t rival_ns, std::int64_t known_ns) {
  const std::int64_t allowed = rival == Strategy::alone ? 100 + min_run_gain : 100 - min_run_gain;
  return 100 * rival_ns < allowed * known_ns;
}

std::size_t index_of(Strategy strategy) {
  return static_cast<std::size_t>(strategy);
}

Strategy after(Strategy strategy) {
  return static_cast<Strategy>((index_of(strategy) + 1) % 3);
}

}  // namespace

/// The median of the recent samples; 0 without samples.
std::int64_t RunStrategies::Entry::usual_ns(Strategy of) const {
  const std::size_t count = std::min<std::size_t>(recorded[index_of(of)], samples);
  if (count == 0) return 0;
  std::array<std::int64_t, samples> sorted = {};
  std::copy_n(times_ns[index_of(of)], count, sorted.begin());
  std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count));
  return sorted[(count - 1) / 2];
}

void RunStrategies::Entry::begin_trial(Strategy of) {
  const std::int64_t known_ns = usual_ns(best);
  const bool is_short = known_ns != 0 && known_ns < short_ns;
  trial_runs = is_short ? trial_of_short_runs : trial_of_long_runs;
  if (rounds == 0 && of == Strategy::by_step) trial_runs += until_steps_are_known;
  rival = of;
  strategy = of;
  is_trial = true;
  left = trial_runs;
  recorded[index_of(of)] = 0;
}

void RunStrategies::Entry::end_trial() {
  const std::int64_t known_ns = usual_ns(best);
  const std::int64_t rival_ns = usual_ns(rival);
  if (rival_ns != 0 && (known_ns == 0 || is_better(rival, rival_ns, known_ns))) best = rival;
  if (rounds == 0 && rival != Strategy::by_step) {
    const bool is_long = usual_ns(Strategy::shared) >= long_run_ns;
    return begin_trial(rival == Strategy::shared && !is_long ? Strategy::alone : Strategy::by_step);
  }
  is_trial = false;
  strategy = best;
  const std::uint32_t length = rounds == 0 ? trial_runs - until_steps_are_known : trial_runs;
  left = (length * min_between_trials) << std::min(rounds, max_doublings);
  ++rounds;
}

RunStrategies::Strategy RunStrategies::choose(std::uint64_t key) {
  Entry& entry = place_of(key);
  if (entry.key != key) {
    entry = {.key = key, .best = Strategy::shared};
    entry.begin_trial(Strategy::shared);
  }
  if (entry.left == 0 && entry.is_trial) entry.end_trial();
  if (entry.left == 0) {
    Strategy next = after(entry.rival);
    const bool is_long = entry.usual_ns(entry.best) >= long_run_ns;
    while (next == entry.best || (next == Strategy::alone && is_long)) next = after(next);
    entry.begin_trial(next);
  }
  --entry.left;
  return entry.strategy;
}

void RunStrategies::record(std::uint64_t key, Duration time) {
  Entry& entry = place_of(key);
  if (entry.key != key) return;
  const bool is_first_of_trial = entry.is_trial && entry.left + 1 == entry.trial_runs;
  if (is_first_of_trial) return;
  const std::size_t index = index_of(entry.strategy);
  entry.times_ns[index][entry.recorded[index]++ % samples] = time.count();
}

}  // namespace ortool

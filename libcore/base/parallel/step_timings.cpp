// Decides by a few trials whether to share a step.
#include "libcore/base/parallel/step_timings.hpp"

#include <bit>

namespace ortool {
namespace {

/// A step that takes longer is shared without a trial.
constexpr std::int64_t long_job_ns = 150'000;
constexpr std::uint32_t trials = 3;  ///< for each mode; the first may run with cold caches
constexpr std::uint32_t max_between_trials = 256;
constexpr std::uint32_t uses_between_records = 16;
/// Minimum gain of sharing in percent; its effect on the following steps is not measured.
constexpr std::int64_t min_sharing_gain = 20;

/// Trials at 8, 16, 32 ... uses, and later at regular intervals.
bool is_trial(std::uint32_t use) {
  return use % max_between_trials == 0 ||
         (use < max_between_trials && use >= 8 && std::has_single_bit(use));
}

/// Adopts lower times at once and higher ones slowly: disturbances only lengthen a measurement.
void take_in(std::int64_t& known_ns, std::int64_t time_ns) {
  const bool is_less = known_ns == 0 || time_ns < known_ns;
  known_ns = is_less ? time_ns : known_ns + (time_ns - known_ns) / 16;
}

}  // namespace

StepTimings::Mode StepTimings::choose(std::uint64_t key) {
  Entry& entry = place_of(key);
  if (entry.key != key) entry = {.key = key};
  const std::uint32_t use = entry.uses++;
  if (use < trials || entry.shared_ns >= long_job_ns) return Mode::shared;
  if (use < 2 * trials) return Mode::alone;
  const bool is_better_shared =
      entry.shared_ns != 0 && 100 * entry.shared_ns < (100 - min_sharing_gain) * entry.alone_ns;
  if (is_better_shared != is_trial(use)) return Mode::shared;
  return use % uses_between_records == 0 ? Mode::alone : Mode::known_alone;
}

void StepTimings::record(std::uint64_t key, bool was_shared, Duration time) {
  Entry& entry = place_of(key);
  if (entry.key == key) take_in(was_shared ? entry.shared_ns : entry.alone_ns, time.count());
}

}  // namespace ortool

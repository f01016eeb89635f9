// Paired timing: untimed runs warm the caches; a block takes a thirtieth of the budget.
#include "libcore/quantize/search/paired_times.hpp"

#include <algorithm>
#include <vector>

#include "libcore/base/stopwatch.hpp"
#include "libcore/measure/sample_blocks.hpp"

namespace ortool {
namespace {

constexpr std::size_t min_deciding_rounds = 5;
constexpr std::size_t min_reported_rounds = 2;
constexpr std::size_t max_rounds = 400;
constexpr double max_block_ms = 10;
constexpr double pair_confidence = 0.95;

/// The fastest run of a block, since interference only ever makes runs slower. Without `warms` the
/// first run counts if it takes the whole block.
double time_block(const Session& session, const NamedValues& inputs, const RunOptions& options,
                  double block_ms, bool warms) {
  const Stopwatch first;
  session.run(inputs, options);
  const double first_ms = first.milliseconds();
  if (!warms && first_ms >= block_ms) return first_ms;
  double best = 0;
  const Stopwatch whole;
  do {
    const Stopwatch watch;
    session.run(inputs, options);
    const double ms = watch.milliseconds();
    best = best == 0 ? ms : std::min(best, ms);
  } while (whole.milliseconds() < block_ms);
  return best;
}

}  // namespace

PairedTimes time_in_pairs(const Session& first, const Session& second, const NamedValues& inputs,
                          const QuantizeContext& context, double budget_ms,
                          TimingEffort effort) {
  RunOptions options;
  options.threads = context.machine.threads;
  options.stop = &context.task.stop;
  const double block_ms = std::min(max_block_ms, budget_ms / 30);
  std::vector<double> first_ms;
  std::vector<double> second_ms;
  const bool decides = effort == TimingEffort::decide;
  const std::size_t min_rounds = decides ? min_deciding_rounds : min_reported_rounds;
  for (int warm = 0; decides && warm < 2; ++warm) {
    first.run(inputs, options);
    second.run(inputs, options);
  }
  const Stopwatch watch;
  while (first_ms.size() < min_rounds ||
         (watch.milliseconds() < budget_ms && first_ms.size() < max_rounds)) {
    const bool begins = first_ms.size() % 2 == 0;
    if (begins) first_ms.push_back(time_block(first, inputs, options, block_ms, decides));
    second_ms.push_back(time_block(second, inputs, options, block_ms, decides));
    if (!begins) first_ms.push_back(time_block(first, inputs, options, block_ms, decides));
  }
  constexpr std::uint64_t seed = 1;
  return {median_of(first_ms), median_of(second_ms),
          compare_paired(first_ms, second_ms, pair_confidence, seed)};
}

}  // namespace ortool

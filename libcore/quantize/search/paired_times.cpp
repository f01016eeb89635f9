// Paired timing: an untimed run warms the caches; a block takes a fifteenth of the budget.
#include "libcore/quantize/search/paired_times.hpp"

#include <algorithm>
#include <vector>

#include "libcore/base/stopwatch.hpp"
#include "libcore/measure/sample_blocks.hpp"

namespace ortool {
namespace {

constexpr std::size_t min_pair_rounds = 5;
constexpr std::size_t max_rounds = 400;
constexpr double max_block_ms = 10;
constexpr double pair_confidence = 0.95;

/// The fastest run of a block, since interference only ever makes runs slower.
double time_block(const Session& session, const NamedValues& inputs, const RunOptions& options,
                  double block_ms) {
  session.run(inputs, options);
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
                          const QuantizeContext& context, double budget_ms) {
  RunOptions options;
  options.threads = context.machine.threads;
  options.stop = &context.task.stop;
  const double block_ms = std::min(max_block_ms, budget_ms / 30);
  std::vector<double> first_ms;
  std::vector<double> second_ms;
  for (int warm = 0; warm < 2; ++warm) {
    first.run(inputs, options);
    second.run(inputs, options);
  }
  const Stopwatch watch;
  while (first_ms.size() < min_pair_rounds ||
         (watch.milliseconds() < budget_ms && first_ms.size() < max_rounds)) {
    const bool begins = first_ms.size() % 2 == 0;
    if (begins) first_ms.push_back(time_block(first, inputs, options, block_ms));
    second_ms.push_back(time_block(second, inputs, options, block_ms));
    if (!begins) first_ms.push_back(time_block(first, inputs, options, block_ms));
  }
  constexpr std::uint64_t seed = 1;
  return {median_of(first_ms), median_of(second_ms),
          compare_paired(first_ms, second_ms, pair_confidence, seed)};
}

}  // namespace ortool

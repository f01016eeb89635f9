// Counting threads, and a look at the weights.
#include "apps/ortool/bench/host_warnings.hpp"

#include <algorithm>
#include <set>

#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/inspect/weight_statistics.hpp"
#include "libcore/inspect/weights.hpp"

namespace ortool {
namespace {

/// Training normally leaves a smaller fraction of denormals than this.
constexpr double telling_share = 1e-3;

}  // namespace

void warn_of_threads(const Invocation& invocation, const BenchSettings& settings) {
  const int processors = available_processors();
  const int most = *std::max_element(settings.threads.begin(), settings.threads.end());
  const int busy = settings.concurrency + most - 1;
  if (busy <= processors) return;
  invocation.warn(
      format("{} threads on {} processors: they compete for processors, and runs take longer than "
             "with fewer threads",
             busy, processors));
}

void warn_of_denormals(const Invocation& invocation, const BenchSettings& settings) {
  std::set<std::string> seen;
  for (const std::string& path : settings.models) {
    if (path == "-" || !seen.insert(path).second) continue;
    const LoadedModel loaded = load_model_at(path);
    WeightStatistics total;
    std::int64_t elements = 0;
    for (const Weight& weight : weights_of(*loaded.model)) {
      const bool is_float = weight.type == DataType::float32 || weight.type == DataType::float64;
      if (!is_float) continue;
      total.add(scan_weight(*weight.tensor));
      elements += weight.shape.element_count();
      invocation.stop.poll();
    }
    if (static_cast<double>(total.denormals) <= telling_share * static_cast<double>(elements)) {
      continue;
    }
    invocation.warn(
        format("{}: {} of {} weights are denormal numbers, with which many processors compute many "
               "times slower; set them to zero",
               loaded.path, readable_count(static_cast<double>(total.denormals)),
               readable_count(static_cast<double>(elements))));
  }
}

}  // namespace ortool

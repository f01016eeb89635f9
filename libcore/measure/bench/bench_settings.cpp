// Benchmark settings: thresholds by provider, and keys of percentiles.
#include "libcore/measure/bench/bench_settings.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"

namespace ortool {

double BenchSettings::threshold_of(const std::string& provider) const {
  const auto found = max_regression.find(provider);
  return found != max_regression.end() ? found->second : max_regression.at("");
}

std::string percentile_key(double percent) {
  std::string key = "p" + format("{}", percent);
  std::replace(key.begin(), key.end(), '.', '_');
  return key;
}

}  // namespace ortool

// What disturbs a measurement: the host, too many threads, numbers that processors are slow with.
#pragma once

#include <string>
#include <vector>

#include "apps/ortool/bench/bench_settings.hpp"
#include "libcore/base/stopwatch.hpp"
#include "libcore/measure/host.hpp"

namespace ortool {

/// Looks at the host when made, and again when asked.
class HostWatch {
 public:
  HostWatch();
  /// What disturbed since, in sentences.
  std::vector<std::string> noise() const;

 private:
  HostState before_;
  double own_busy_s_;
  Stopwatch watch_;
};

/// Warns when callers and threads are more than the processors this process may use.
void warn_of_threads(const Invocation& invocation, const BenchSettings& settings);

/// Warns of models whose float weights hold many denormal numbers, which many processors compute
/// with many times slower.
void warn_of_denormals(const Invocation& invocation, const BenchSettings& settings);

}  // namespace ortool

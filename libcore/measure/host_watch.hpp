// Host watch: what disturbed the machine between two moments of a measurement.
#pragma once

#include <string>
#include <vector>

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

}  // namespace ortool

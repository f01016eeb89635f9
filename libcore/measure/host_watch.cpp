// Differences of the host's counters, less what this process did itself.
#include "libcore/measure/host_watch.hpp"

#include <sys/resource.h>

namespace ortool {
namespace {

double own_processor_seconds() {
  double seconds = 0;
  for (const int whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage = {};
    getrusage(whose, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    }
  }
  return seconds;
}

}  // namespace

HostWatch::HostWatch() : before_(read_host_state()), own_busy_s_(own_processor_seconds()) {}

std::vector<std::string> HostWatch::noise() const {
  const double seconds = watch_.milliseconds() / 1e3;
  // Counters tick a hundred times a second.
  if (seconds < 0.5) return {};
  return noise_between(before_, read_host_state(), seconds, own_processor_seconds() - own_busy_s_);
}

}  // namespace ortool

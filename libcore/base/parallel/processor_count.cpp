// Processor count: affinity, capacities of big.LITTLE processors, and the control group's quota.
#include "libcore/base/parallel/processor_count.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sched.h>
#include <unistd.h>

#include "libcore/base/format.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool {
namespace {

/// -1 if the file is missing or does not begin with a number.
double number_in_file(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  if (!(file >> text)) return -1;
  double value = -1;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
  return done.ec == std::errc() ? value : -1;
}

/// All of them, if the system does not tell the capacity of each.
int count_fast(const std::vector<int>& allowed, const std::string& root) {
  std::vector<double> capacities;
  for (const int processor : allowed) {
    const double capacity = number_in_file(
        format("{}/sys/devices/system/cpu/cpu{}/cpu_capacity", root, processor));
    if (capacity <= 0) return static_cast<int>(allowed.size());
    capacities.push_back(capacity);
  }
  if (capacities.empty()) return 0;
  const double most = *std::max_element(capacities.begin(), capacities.end());
  return static_cast<int>(std::count_if(capacities.begin(), capacities.end(),
                                        [&](double each) { return 2 * each >= most; }));
}

/// The quota of the control group, rounded to processors; 0: none.
int read_quota(const std::string& root) {
  std::ifstream file(root + "/sys/fs/cgroup/cpu.max");
  std::string quota;
  std::string period;
  if (!(file >> quota >> period)) return 0;
  const auto number = [](const std::string& text) {
    double value = 0;
    const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
    return done.ec == std::errc() ? value : 0;
  };
  if (!(number(quota) > 0 && number(period) > 0)) return 0;
  constexpr double most = 1e6;
  return std::max(1, static_cast<int>(
                         std::lround(std::min(most, number(quota) / number(period)))));
}

}  // namespace

std::string ProcessorCount::explanation() const {
  std::string text = format("{}", threads);
  if (threads < machine) text += format(" of {}", machine);
  text += machine == 1 ? " processor" : " processors";
  std::vector<std::string> reasons;
  if (affinity < machine) reasons.push_back(format("this process may run on {}", affinity));
  if (fast < affinity) {
    reasons.push_back(
        format("{} of them have less than half of the capacity of the fastest", affinity - fast));
  }
  if (quota > 0 && quota < fast) {
    reasons.push_back(format("the quota of its control group is {}", quota));
  }
  for (std::size_t i = 0; i < reasons.size(); ++i) text += (i == 0 ? ": " : ", ") + reasons[i];
  return text;
}

ProcessorCount count_processors(const std::vector<int>& allowed, const std::string& root) {
  ProcessorCount count;
  count.affinity = std::max<int>(1, static_cast<int>(allowed.size()));
  count.machine = count.affinity;
  count.fast = std::max(1, count_fast(allowed, root));
  count.quota = read_quota(root);
  count.threads = count.quota > 0 ? std::min(count.fast, count.quota) : count.fast;
  return count;
}

ProcessorCount count_processors() {
  std::vector<int> allowed;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
      if (CPU_ISSET(static_cast<unsigned>(processor), &set)) allowed.push_back(processor);
    }
  }
  ProcessorCount count = count_processors(allowed, {});
  count.machine = std::max(count.affinity, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
  return count;
}

int available_processors() {
  return count_processors().threads;
}

}  // namespace ortool

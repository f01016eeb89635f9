// Benchmark host: reads Linux's /proc and /sys.
#include "libcore/measure/host.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string_view>
#include <unistd.h>

#include "libcore/base/format.hpp"
#include "libcore/base/sha256.hpp"

namespace ortool {
namespace {

constexpr std::array<std::string_view, 16> telling_flags = {
    "amx_bf16",    "amx_int8", "avx",      "avx2",    "avx512_bf16", "avx512_fp16",
    "avx512_vnni", "avx512bw", "avx512dq", "avx512f", "avx512vl",    "avx_vnni",
    "f16c",        "fma",      "sse4_1",   "sse4_2"};

std::string read_all(const std::string& path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

double number_in(std::string_view text, double otherwise) {
  double value = otherwise;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
  return done.ec == std::errc() ? value : otherwise;
}

/// The text after `key` and `mark` in the first line that begins with `key`.
std::string field_of(const std::string& text, std::string_view key, std::string_view mark) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(mark);
    if (line.starts_with(key) && at != std::string::npos) return line.substr(at + mark.size());
  }
  return {};
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

/// "32K", "260096K", "16M".
std::int64_t size_in(const std::string& text) {
  const auto number = static_cast<std::int64_t>(number_in(text, 0));
  if (text.ends_with('K')) return number << 10U;
  if (text.ends_with('M')) return number << 20U;
  return number;
}

std::int64_t last_cache_bytes(const std::string& root) {
  std::int64_t bytes = 0;
  for (int level = 0; level < 8; ++level) {
    bytes =
        std::max(bytes, size_in(read_all(format("{}/sys/devices/system/cpu/cpu0/cache/index{}/size",
                                                root, level))));
  }
  return bytes;
}

std::int64_t count_heat_events(const std::string& root) {
  std::int64_t count = -1;
  for (int processor = 0; processor < 4096; ++processor) {
    const std::string folder = format("{}/sys/devices/system/cpu/cpu{}", root, processor);
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) break;
    const std::string text = read_all(folder + "/thermal_throttle/core_throttle_count");
    if (text.empty()) continue;
    count = std::max<std::int64_t>(count, 0) + static_cast<std::int64_t>(number_in(text, 0));
  }
  return count;
}

void read_control_group(const std::string& root, HostState& state) {
  // Version 2 gives the group as "0::/path"; inside a container the path may not exist, and the
  // root of the mount is the group itself.
  const std::string path = field_of(read_all(root + "/proc/self/cgroup"), "0::", "::");
  for (const std::string& group : {path, std::string()}) {
    const std::string folder = root + "/sys/fs/cgroup" + group;
    const std::vector<std::string> quota = words_of(read_all(folder + "/cpu.max"));
    if (quota.size() == 2 && quota[0] != "max") {
      state.quota_processors = number_in(quota[0], 0) / std::max(1.0, number_in(quota[1], 1));
    }
    const std::string throttled =
        field_of(read_all(folder + "/cpu.stat"), "throttled_usec", "throttled_usec ");
    if (!throttled.empty()) {
      state.throttled_s = number_in(throttled, 0) * 1e-6;
      return;
    }
  }
  const std::string folder = root + "/sys/fs/cgroup/cpu";
  const double quota = number_in(read_all(folder + "/cpu.cfs_quota_us"), -1);
  if (quota > 0) {
    state.quota_processors =
        quota / std::max(1.0, number_in(read_all(folder + "/cpu.cfs_period_us"), 1));
  }
  const std::string throttled =
      field_of(read_all(folder + "/cpu.stat"), "throttled_time", "throttled_time ");
  if (!throttled.empty()) state.throttled_s = number_in(throttled, 0) * 1e-9;
}

void read_processor_times(const std::string& root, HostState& state) {
  // cpu user nice system idle iowait irq softirq steal guest guest_nice, in ticks
  const std::string text = read_all(root + "/proc/stat");
  const std::vector<std::string> words = words_of(text.substr(0, text.find('\n')));
  if (words.size() < 9) return;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto at = [&](std::size_t place) { return number_in(words[place], 0) / ticks; };
  state.busy_s = at(1) + at(2) + at(3) + at(6) + at(7);
  state.steal_s = at(8);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool is_processor = line.starts_with("cpu") && line.size() > 3 && line[3] != ' ';
    state.processors += is_processor ? 1 : 0;
  }
}

std::string percent(double share) {
  return format("{} %", static_cast<std::int64_t>(share * 100 + 0.5));
}

}  // namespace

std::string MachineFingerprint::id() const {
  std::string text = format("{}|{}|{}|{}|{}", cpu, processors, cache_bytes, memory_gib, is_virtual);
  for (const std::string& name : isa) text += "|" + name;
  return sha256_of(std::as_bytes(std::span(text.data(), text.size()))).substr(0, 16);
}

bool adds_bytes_in_pairs(const std::vector<std::string>& isa) {
  const auto has = [&](std::string_view name) {
    return std::find(isa.begin(), isa.end(), name) != isa.end();
  };
  return has("sse4_1") && !has("avx512_vnni") && !has("avx_vnni");
}

MachineFingerprint read_fingerprint(int processors, const std::string& root) {
  const std::string text = read_all(root + "/proc/cpuinfo");
  MachineFingerprint fingerprint;
  fingerprint.cpu = field_of(text, "model name", ": ");
  const std::vector<std::string> flags = words_of(field_of(text, "flags", ": "));
  for (const std::string_view flag : telling_flags) {
    if (std::find(flags.begin(), flags.end(), flag) != flags.end()) {
      fingerprint.isa.emplace_back(flag);
    }
  }
  fingerprint.is_virtual = std::find(flags.begin(), flags.end(), "hypervisor") != flags.end();
  fingerprint.processors = processors;
  fingerprint.cache_bytes = last_cache_bytes(root);
  const std::vector<std::string> memory =
      words_of(field_of(read_all(root + "/proc/meminfo"), "MemTotal", ":"));
  if (!memory.empty()) {
    fingerprint.memory_gib =
        static_cast<std::int64_t>(number_in(memory.front(), 0) / (1 << 20) + 0.5);
  }
  return fingerprint;
}

HostState read_host_state(const std::string& root) {
  HostState state;
  read_processor_times(root, state);
  read_control_group(root, state);
  const std::vector<std::string> load = words_of(read_all(root + "/proc/loadavg"));
  if (!load.empty()) state.load = number_in(load.front(), -1);
  state.governor = read_all(root + "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  state.heat_events = count_heat_events(root);
  return state;
}

std::vector<std::string> noise_between(const HostState& before, const HostState& after,
                                       double seconds, double own_busy_s) {
  std::vector<std::string> found;
  if (!after.governor.empty() && after.governor != "performance") {
    found.push_back(
        format("the CPU frequency governor is '{}': times may vary with the frequency "
               "('performance' keeps it constant)",
               after.governor));
  }
  const double all_s = seconds * std::max(1, after.processors);
  const double stolen = after.steal_s - before.steal_s;
  if (before.steal_s >= 0 && stolen > 0.01 * all_s) {
    found.push_back(
        format("other virtual machines took {} of this machine's processor time (steal time)",
               percent(stolen / all_s)));
  }
  const double others = after.busy_s - before.busy_s - own_busy_s;
  if (before.busy_s >= 0 && others > 0.1 * seconds) {
    found.push_back(
        format("other programs used {} of a processor meanwhile", percent(others / seconds)));
  }
  const double held = after.throttled_s - before.throttled_s;
  if (before.throttled_s >= 0 && held > 0) {
    found.push_back(
        format("the control group's quota ({} processors) throttled this process for {} ms",
               after.quota_processors, static_cast<std::int64_t>(held * 1e3)));
  }
  if (before.heat_events >= 0 && after.heat_events > before.heat_events) {
    found.push_back(format("processors were throttled by heat {} times",
                           after.heat_events - before.heat_events));
  }
  return found;
}

}  // namespace ortool

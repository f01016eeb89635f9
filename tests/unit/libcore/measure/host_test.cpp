// Host fingerprint and noise of simulated machines, as files in a folder.
#include "libcore/measure/host.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <catch2/catch.hpp>

using namespace ortool;

namespace {

/// A folder with the files of a machine, removed with the object.
class MadeMachine {
 public:
  MadeMachine()
      : root_(std::filesystem::temp_directory_path() / ("machine-" + std::to_string(getpid()))) {
    put("proc/cpuinfo", "model name\t: Some Processor 9\nflags\t\t: fpu avx2 fma hypervisor\n");
    put("proc/meminfo", "MemTotal:       33554432 kB\nMemFree: 1 kB\n");
    put("proc/stat",
        "cpu  100 0 50 900 0 0 0 10 0 0\ncpu0 50 0 25 450 0 0 0 5 0 0\n"
        "cpu1 50 0 25 450 0 0 0 5 0 0\nintr 5\n");
    put("proc/loadavg", "1.50 1.00 0.50 2/300 999\n");
    put("proc/self/cgroup", "0::/box\n");
    put("sys/fs/cgroup/box/cpu.max", "150000 100000\n");
    put("sys/fs/cgroup/box/cpu.stat", "usage_usec 5\nnr_throttled 3\nthrottled_usec 2000000\n");
    put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    put("sys/devices/system/cpu/cpu0/cache/index3/size", "32768K\n");
    put("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "4\n");
    put("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "5\n");
  }
  ~MadeMachine() { std::filesystem::remove_all(root_); }

  void put(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::string root() const { return root_.string(); }

 private:
  std::filesystem::path root_;
};

}  // namespace

TEST_CASE("A fingerprint holds what makes times comparable and nothing that moves") {
  const MadeMachine machine;
  const MachineFingerprint found = read_fingerprint(2, machine.root());
  CHECK(found.cpu == "Some Processor 9");
  CHECK(found.isa == std::vector<std::string>{"avx2", "fma"});
  CHECK(found.is_virtual);
  CHECK(found.memory_gib == 32);
  CHECK(found.cache_bytes == 32 << 20);
  const std::string id = found.id();
  CHECK(id.size() == 16);
  machine.put("proc/loadavg", "9.50 1.00 0.50 2/300 999\n");
  CHECK(read_fingerprint(2, machine.root()).id() == id);
  CHECK(read_fingerprint(1, machine.root()).id() != id);
  machine.put("proc/cpuinfo", "model name\t: Other\nflags\t\t: fpu avx2 fma hypervisor\n");
  CHECK(read_fingerprint(2, machine.root()).id() != id);
}

TEST_CASE("A host's state is read from its files") {
  const MadeMachine machine;
  const HostState state = read_host_state(machine.root());
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  CHECK(state.steal_s == Approx(10 / ticks));
  CHECK(state.busy_s == Approx(150 / ticks));
  CHECK(state.processors == 2);
  CHECK(state.quota_processors == 1.5);
  CHECK(state.throttled_s == 2);
  CHECK(state.load == 1.5);
  CHECK(state.heat_events == 9);
  CHECK(state.governor == "powersave");
}

TEST_CASE("A machine that tells nothing gives a state and no complaint") {
  const HostState state = read_host_state("/nowhere");
  CHECK(state.steal_s == -1);
  CHECK(state.heat_events == -1);
  CHECK(noise_between(state, state, 1, 1).empty());
}

TEST_CASE("Each thing that disturbs is told") {
  HostState before;
  before.steal_s = before.busy_s = before.throttled_s = 0;
  before.heat_events = 0;
  before.governor = "performance";
  before.processors = 2;
  HostState after = before;
  CHECK(noise_between(before, after, 10, 0).empty());
  const auto told = [&](std::string_view word) {
    const std::vector<std::string> sentences = noise_between(before, after, 10, 8);
    return std::count_if(sentences.begin(), sentences.end(), [&](const std::string& text) {
      return text.find(word) != std::string::npos;
    });
  };
  after.busy_s = 8.5;
  CHECK(told("other programs") == 0);
  after.busy_s = 15;
  CHECK(told("other programs used 70 %") == 1);
  after.steal_s = 4;
  CHECK(told("other virtual machines") == 1);
  after.throttled_s = 0.25;
  CHECK(told("for 250 ms") == 1);
  after.heat_events = 3;
  CHECK(told("heat 3 times") == 1);
  after.governor = "powersave";
  CHECK(told("'powersave'") == 1);
}

TEST_CASE("bytes are added in pairs on x86 without VNNI alone") {
  CHECK(adds_bytes_in_pairs({"avx2", "fma", "sse4_1"}));
  CHECK(adds_bytes_in_pairs({"avx512bw", "avx512f", "sse4_1"}));
  CHECK_FALSE(adds_bytes_in_pairs({"avx2", "avx_vnni", "sse4_1"}));
  CHECK_FALSE(adds_bytes_in_pairs({"avx512_vnni", "avx512f", "sse4_1"}));
  CHECK_FALSE(adds_bytes_in_pairs({}));
}

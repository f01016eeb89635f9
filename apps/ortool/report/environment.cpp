// Environment of a report, as reported by the system.
#include "apps/ortool/report/environment.hpp"

#include <fstream>
#include <iterator>
#include <vector>

#include <sys/utsname.h>

#include "apps/ortool/option_values.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/parallel/processor_count.hpp"
#include "libcore/measure/host.hpp"

namespace ortool {
namespace {

/// What does not change while the process runs, and takes a while to find out.
struct Machine {
  ProcessorCount processors = count_processors();
  MachineFingerprint fingerprint = read_fingerprint(processors.threads);
  std::string os;

  Machine() {
    utsname system = {};
    if (uname(&system) == 0)
      os = std::string(system.sysname) + ' ' + system.release + ' ' + system.machine;
  }
};

const Machine& machine() {
  static const Machine instance;
  return instance;
}

}  // namespace

std::string read_system_file(const char* path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

Json environment_block(const Json& providers) {
  const auto& [processors, fingerprint, os] = machine();
  const std::string throttles =
      read_system_file("/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count");

  Json block = Json::object();
  block.set("cpu", text_or_null(fingerprint.cpu))
      .set("isa", Json::list_of(fingerprint.isa))
      .set("cores", processors.threads)
      .set("cores_reason", processors.explanation())
      .set("memory_bytes", machine_memory_bytes())
      .set("os", text_or_null(os))
      .set("governor",
           text_or_null(read_system_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")))
      .set("throttled", throttles.empty() ? Json() : Json(throttles != "0"))
      .set("providers", providers);
  return block;
}

}  // namespace ortool

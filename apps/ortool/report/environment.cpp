// Reading what the kernel says about the processor.
#include "apps/ortool/report/environment.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <vector>

#include <sys/utsname.h>

#include "apps/ortool/option_values.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "libcore/base/memory_cap.hpp"
#include "libcore/base/thread_pool.hpp"

namespace ortool {
namespace {

/// Instruction sets that make a difference to inference, as the kernel spells them.
constexpr std::array<std::string_view, 16> telling_flags = {
    "sse4_1",      "sse4_2",   "avx",      "avx2",     "fma",         "f16c",
    "avx512f",     "avx512bw", "avx512dq", "avx512vl", "avx512_vnni", "avx512_bf16",
    "avx512_fp16", "avx_vnni", "amx_int8", "amx_bf16"};

/// The first line of /proc/cpuinfo that begins with `key`, what stands behind the colon.
std::string processor_field(const std::string& text, std::string_view key) {
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = std::string_view(text).substr(start, end - start);
    const std::size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string_view::npos) {
      return std::string(line.substr(colon + 2));
    }
    start = end + 1;
  }
  return {};
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

}  // namespace

std::string read_system_file(const char* path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

Json environment_block() {
  const std::string processor = read_system_file("/proc/cpuinfo");
  const std::vector<std::string> flags = split(processor_field(processor, "flags"), ' ');
  Json isa = Json::list();
  for (const std::string_view flag : telling_flags) {
    if (std::find(flags.begin(), flags.end(), flag) != flags.end()) isa.add(flag);
  }
  utsname system = {};
  std::string os;
  if (uname(&system) == 0) {
    os = std::string(system.sysname) + ' ' + system.release + ' ' + system.machine;
  }
  const std::string throttles =
      read_system_file("/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count");

  Json block = Json::object();
  block.set("cpu", text_or_null(processor_field(processor, "model name")))
      .set("isa", std::move(isa))
      .set("cores", available_processors())
      .set("memory_bytes", machine_memory_bytes())
      .set("os", text_or_null(os))
      .set("governor",
           text_or_null(read_system_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")))
      .set("throttled", throttles.empty() ? Json() : Json(throttles != "0"))
      .set("providers", providers_block());
  return block;
}

}  // namespace ortool

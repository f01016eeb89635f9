// NVML clocks, with a library in place of NVML.
#include "providers/cuda/driver/nvml_clocks.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"

using namespace ortool;

namespace {

/// The library, which is found by its name from now on.
class FakeNvml {
 public:
  FakeNvml() {
    const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const auto path = (program / "../lib/fake_nvml/libnvidia-ml.so.1").lexically_normal();
    REQUIRE(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr);
    library_ = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    REQUIRE(::dlsym(library_, "fake_nvml_result") != nullptr);
    set("fake_nvml_result", 0);
    set("fake_nvml_handle_result", 0);
  }
  void set(const char* variable, int value) { number(variable) = value; }
  int uses() { return number("fake_nvml_uses"); }
  std::string bus_id() const {
    return *static_cast<const char**>(::dlsym(library_, "fake_nvml_bus_id"));
  }

 private:
  int& number(const char* variable) { return *static_cast<int*>(::dlsym(library_, variable)); }

  void* library_ = nullptr;
};

constexpr int not_supported = 3;
constexpr int not_found = 6;

}  // namespace

TEST_CASE("clocks, temperature and reasons come from NVML") {
  FakeNvml nvml;
  {
    const cuda::NvmlClocks reader("00000000:17:00.0");
    CHECK(nvml.bus_id() == "00000000:17:00.0");
    CHECK(nvml.uses() == 1);
    const DeviceClocks clocks = reader.read();
    CHECK(clocks.clock_mhz == 1001);
    CHECK(clocks.max_clock_mhz == 2001);
    CHECK(clocks.memory_clock_mhz == 1002);
    CHECK(clocks.max_memory_clock_mhz == 2002);
    CHECK(clocks.temperature_c == 50);
    CHECK(clocks.throttled_by == std::vector<std::string>{"power limit"});
  }
  CHECK(nvml.uses() == 0);
}

TEST_CASE("what NVML does not tell of a GPU is not known") {
  FakeNvml nvml;
  nvml.set("fake_nvml_result", not_supported);
  const DeviceClocks clocks = cuda::NvmlClocks("00000000:17:00.0").read();
  CHECK(clocks.clock_mhz == 0);
  CHECK(clocks.max_memory_clock_mhz == 0);
  CHECK_FALSE(clocks.temperature_c.has_value());
  CHECK_FALSE(clocks.throttled_by.has_value());
}

TEST_CASE("a GPU that NVML does not find is an error, and NVML is shut down") {
  FakeNvml nvml;
  nvml.set("fake_nvml_handle_result", not_found);
  CHECK_THROWS_WITH(cuda::NvmlClocks("00000000:99:00.0"),
                    "NVML reports error 6 in nvmlDeviceGetHandleByPciBusId");
  CHECK(nvml.uses() == 0);
}

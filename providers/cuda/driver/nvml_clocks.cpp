// NVML clocks: NVML's calls, opened when clocks are first asked for.
#include "providers/cuda/driver/nvml_clocks.hpp"

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "providers/cuda/device/throttle_reasons.hpp"

namespace ortool::cuda {
namespace {

constexpr int success = 0;          // NVML_SUCCESS
constexpr int sm_clock = 1;         // NVML_CLOCK_SM
constexpr int memory_clock = 2;     // NVML_CLOCK_MEM
constexpr int gpu_temperature = 0;  // NVML_TEMPERATURE_GPU

void check(int result, const char* call) {
  if (result == success) return;
  throw Error(ErrorCode::provider_unavailable, format("NVML reports error {} in {}", result, call));
}

}  // namespace

NvmlClocks::NvmlClocks(const char* pci_bus_id)
    : library_({"libnvidia-ml.so.1"}, "NVML of the NVIDIA driver") {
  library_.load(init_, "nvmlInit_v2");
  library_.load(shutdown_, "nvmlShutdown");
  library_.load(handle_by_bus_id_, "nvmlDeviceGetHandleByPciBusId_v2");
  library_.load(clock_info_, "nvmlDeviceGetClockInfo");
  library_.load(max_clock_info_, "nvmlDeviceGetMaxClockInfo");
  library_.load(temperature_, "nvmlDeviceGetTemperature");
  // The second is the name before CUDA 12.2; both read the same bits.
  if (!library_.try_load(clock_reasons_, "nvmlDeviceGetCurrentClocksEventReasons"))
    library_.try_load(clock_reasons_, "nvmlDeviceGetCurrentClocksThrottleReasons");
  check(init_(), "nvmlInit");
  const int result = handle_by_bus_id_(pci_bus_id, &gpu_);
  if (result != success) shutdown_();
  check(result, "nvmlDeviceGetHandleByPciBusId");
}

NvmlClocks::~NvmlClocks() {
  shutdown_();
}

DeviceClocks NvmlClocks::read() const {
  const auto megahertz = [&](auto* call, int clock) -> std::int64_t {
    unsigned value = 0;
    return call(gpu_, clock, &value) == success ? std::int64_t{value} : 0;
  };
  DeviceClocks clocks = {.clock_mhz = megahertz(clock_info_, sm_clock),
                         .max_clock_mhz = megahertz(max_clock_info_, sm_clock),
                         .memory_clock_mhz = megahertz(clock_info_, memory_clock),
                         .max_memory_clock_mhz = megahertz(max_clock_info_, memory_clock)};
  unsigned degrees = 0;
  if (temperature_(gpu_, gpu_temperature, &degrees) == success) clocks.temperature_c = degrees;
  unsigned long long reasons = 0;
  if (clock_reasons_ != nullptr && clock_reasons_(gpu_, &reasons) == success)
    clocks.throttled_by = throttle_reasons(reasons);
  return clocks;
}

}  // namespace ortool::cuda

// NVML clocks: the clocks of a GPU, by the management library of NVIDIA's driver.
#pragma once

#include <string>

#include "libcore/provider/device/device_clocks.hpp"
#include "providers/cuda/driver/library_loader.hpp"

struct nvmlDevice_st;

namespace ortool::cuda {

/// Reads the clocks of one GPU. Thread-safe, as NVML is.
class NvmlClocks {
 public:
  /// Opens NVML and finds the GPU by the text that cuDeviceGetPCIBusId() writes. Throws
  /// ErrorCode::provider_unavailable if that fails.
  explicit NvmlClocks(const char* pci_bus_id);
  ~NvmlClocks();
  NvmlClocks(const NvmlClocks&) = delete;
  NvmlClocks& operator=(const NvmlClocks&) = delete;

  /// What NVML does not tell of this GPU is not known.
  DeviceClocks read() const;

 private:
  // As NVML's reference declares them. Enumerations are passed as int, and 0 is NVML_SUCCESS.
  using GpuHandle = nvmlDevice_st*;
  int (*init_)() = nullptr;
  int (*shutdown_)() = nullptr;
  int (*handle_by_bus_id_)(const char*, GpuHandle*) = nullptr;
  int (*clock_info_)(GpuHandle, int, unsigned*) = nullptr;
  int (*max_clock_info_)(GpuHandle, int, unsigned*) = nullptr;
  int (*temperature_)(GpuHandle, int, unsigned*) = nullptr;
  int (*clock_reasons_)(GpuHandle, unsigned long long*) = nullptr;

  LibraryLoader library_;
  GpuHandle gpu_ = nullptr;
};

}  // namespace ortool::cuda

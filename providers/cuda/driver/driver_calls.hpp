// CUDA driver calls: the functions of libcuda.so.1, which is opened at first use.
#pragma once

#include <cstddef>
#include <cuda.h>
#include <string>
#include <string_view>

#include "providers/cuda/driver/library_loader.hpp"

namespace ortool::cuda {

struct DriverCalls {
  LibraryLoader library{{"libcuda.so.1"}, "the NVIDIA driver"};
  decltype(cuInit)* init;
  decltype(cuDriverGetVersion)* driver_version;
  decltype(cuGetErrorName)* error_name;
  decltype(cuDeviceGetCount)* device_count;
  decltype(cuDeviceGet)* device_get;
  decltype(cuDeviceGetName)* device_name;
  decltype(cuDeviceGetAttribute)* device_attribute;
  decltype(cuDeviceGetPCIBusId)* device_bus_id;
  decltype(cuDevicePrimaryCtxRetain)* context_retain;
  CUresult (*context_release)(CUdevice);
  decltype(cuCtxSetCurrent)* context_set;
  decltype(cuModuleLoadData)* module_load;
  decltype(cuModuleUnload)* module_unload;
  decltype(cuModuleGetFunction)* module_function;
  decltype(cuLaunchKernel)* launch;
  CUresult (*allocate)(CUdeviceptr*, std::size_t);
  CUresult (*release)(CUdeviceptr);
  CUresult (*memory_info)(std::size_t*, std::size_t*);
  decltype(cuMemHostAlloc)* host_allocate;
  decltype(cuMemFreeHost)* host_release;
  CUresult (*write)(CUdeviceptr, const void*, std::size_t);
  CUresult (*read)(void*, CUdeviceptr, std::size_t);
  CUresult (*upload)(CUdeviceptr, const void*, std::size_t, CUstream);
  CUresult (*download)(void*, CUdeviceptr, std::size_t, CUstream);
  CUresult (*copy)(CUdeviceptr, CUdeviceptr, std::size_t, CUstream);
  decltype(cuMemsetD8Async)* clear;
  decltype(cuStreamCreate)* stream_create;
  CUresult (*stream_destroy)(CUstream);
  decltype(cuStreamSynchronize)* stream_wait;
  CUresult (*capture_begin)(CUstream, CUstreamCaptureMode);
  decltype(cuStreamEndCapture)* capture_end;
  decltype(cuGraphInstantiateWithFlags)* graph_instantiate;
  decltype(cuGraphLaunch)* graph_launch;
  decltype(cuGraphDestroy)* graph_destroy;
  decltype(cuGraphExecDestroy)* graph_exec_destroy;
  decltype(cuEventCreate)* event_create;
  CUresult (*event_destroy)(CUevent);
  decltype(cuEventRecord)* event_record;
  decltype(cuEventSynchronize)* event_wait;
  CUresult (*event_time)(float*, CUevent, CUevent);

  /// Throws ErrorCode::provider_unavailable if the library or one of its functions is missing.
  DriverCalls();

  /// "CUDA_ERROR_OUT_OF_MEMORY".
  std::string name_of(CUresult result) const;
  /// Throws ErrorCode::unsupported with the name of a failure and of the call.
  void check(CUresult result, std::string_view call) const;
};

}  // namespace ortool::cuda

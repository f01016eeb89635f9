// CUDA driver calls: loads each function, and names failures.
#include "providers/cuda/driver/driver_calls.hpp"

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cuda {

DriverCalls::DriverCalls() {
  library.load(init, "cuInit");
  library.load(driver_version, "cuDriverGetVersion");
  library.load(error_name, "cuGetErrorName");
  library.load(device_count, "cuDeviceGetCount");
  library.load(device_get, "cuDeviceGet");
  library.load(device_name, "cuDeviceGetName");
  library.load(device_attribute, "cuDeviceGetAttribute");
  library.load(device_bus_id, "cuDeviceGetPCIBusId");
  library.load(context_retain, "cuDevicePrimaryCtxRetain");
  library.load(context_release, "cuDevicePrimaryCtxRelease_v2");
  library.load(context_set, "cuCtxSetCurrent");
  library.load(module_load, "cuModuleLoadData");
  library.load(module_unload, "cuModuleUnload");
  library.load(module_function, "cuModuleGetFunction");
  library.load(launch, "cuLaunchKernel");
  library.load(allocate, "cuMemAlloc_v2");
  library.load(release, "cuMemFree_v2");
  library.load(memory_info, "cuMemGetInfo_v2");
  library.load(host_allocate, "cuMemHostAlloc");
  library.load(host_release, "cuMemFreeHost");
  library.load(write, "cuMemcpyHtoD_v2");
  library.load(read, "cuMemcpyDtoH_v2");
  library.load(upload, "cuMemcpyHtoDAsync_v2");
  library.load(download, "cuMemcpyDtoHAsync_v2");
  library.load(copy, "cuMemcpyDtoDAsync_v2");
  library.load(clear, "cuMemsetD8Async");
  library.load(stream_create, "cuStreamCreate");
  library.load(stream_destroy, "cuStreamDestroy_v2");
  library.load(stream_wait, "cuStreamSynchronize");
  library.load(capture_begin, "cuStreamBeginCapture_v2");
  library.load(capture_end, "cuStreamEndCapture");
  library.load(graph_instantiate, "cuGraphInstantiateWithFlags");
  library.load(graph_launch, "cuGraphLaunch");
  library.load(graph_destroy, "cuGraphDestroy");
  library.load(graph_exec_destroy, "cuGraphExecDestroy");
  library.load(event_create, "cuEventCreate");
  library.load(event_destroy, "cuEventDestroy_v2");
  library.load(event_record, "cuEventRecord");
  library.load(event_wait, "cuEventSynchronize");
  library.load(event_time, "cuEventElapsedTime");
}

std::string DriverCalls::name_of(CUresult result) const {
  const char* name = nullptr;
  return error_name(result, &name) == CUDA_SUCCESS && name != nullptr
             ? std::string(name)
             : format("error {}", static_cast<int>(result));
}

void DriverCalls::check(CUresult result, std::string_view call) const {
  if (result == CUDA_SUCCESS) return;
  throw Error(ErrorCode::unsupported,
              format("the CUDA driver reports {} in {}", name_of(result), call));
}

}  // namespace ortool::cuda

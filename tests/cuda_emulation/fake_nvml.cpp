// A library with NVML's name and some of its functions, of which a unit test sets the answers.
extern "C" {

int fake_nvml_result = 0;         ///< of all calls about the GPU
int fake_nvml_handle_result = 0;  ///< of the call that finds it
int fake_nvml_uses = 0;           ///< nvmlInit_v2() less nvmlShutdown()
const char* fake_nvml_bus_id = "";

int nvmlInit_v2() {
  ++fake_nvml_uses;
  return 0;
}
int nvmlShutdown() {
  --fake_nvml_uses;
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
  static int gpu = 0;
  fake_nvml_bus_id = bus_id;
  *device = &gpu;
  return fake_nvml_handle_result;
}
/// Clocks: 0 graphics, 1 multiprocessors, 2 memory.
int nvmlDeviceGetClockInfo(void*, int clock, unsigned* value) {
  *value = 1000U + static_cast<unsigned>(clock);
  return fake_nvml_result;
}
int nvmlDeviceGetMaxClockInfo(void*, int clock, unsigned* value) {
  *value = 2000U + static_cast<unsigned>(clock);
  return fake_nvml_result;
}
int nvmlDeviceGetTemperature(void*, int sensor, unsigned* value) {
  *value = 50U + static_cast<unsigned>(sensor);
  return fake_nvml_result;
}
/// The older name, as drivers before CUDA 12.2 have it.
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = 0x1 | 0x4;
  return fake_nvml_result;
}

}  // extern "C"

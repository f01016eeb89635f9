// OpenVINO libraries that the openvino module cannot use, one kind for each value of ORTOOL_KIND:
// 1 an old one, 2 one that lacks functions, 3 one that refuses all settings.
#include <cstddef>
#include <cstdlib>
#include <cstring>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

struct Version {
  const char* number;
  const char* description;
};
struct DeviceList {
  char** names;
  std::size_t count;
};

constexpr int failure = -1;

}  // namespace

EXPORTED int ov_get_openvino_version(Version* version) {
  version->number = ORTOOL_KIND == 1 ? "2023.3.0-13775-ceeafaf64f3" : "2026.4.1-22036-0123abcd";
  version->description = "";
  return 0;
}
EXPORTED void ov_version_free(Version*) {}
EXPORTED const char* ov_get_error_info(int) {
  return "general error";
}

#if ORTOOL_KIND == 3
EXPORTED int ov_core_create(void** core) {
  *core = std::malloc(1);
  return 0;
}
EXPORTED void ov_core_free(void* core) {
  std::free(core);
}
EXPORTED int ov_core_get_available_devices(const void*, DeviceList* devices) {
  static char name[] = "CPU";
  static char* names[] = {name};
  *devices = {names, 1};
  return 0;
}
EXPORTED void ov_available_devices_free(DeviceList*) {}
EXPORTED int ov_core_set_property(const void*, const char*, ...) {
  return failure;
}
EXPORTED void ov_free(const char* text) {
  std::free(const_cast<char*>(text));
}
/// As OpenVINO 2026.4 says it.
EXPORTED const char* ov_get_last_err_msg() {
  return ::strdup(
      "Exception from src/inference/src/cpp/core.cpp:264:\n"
      "Exception from src/inference/src/dev/plugin.cpp:49:\n"
      "Check 'is_known' failed at src/plugins/intel_cpu/src/config.cpp:505:\n"
      "NotFound: Unsupported property SPEED by CPU plugin.\n\n"
      "To facilitate the conversion, refer to the documentation\n\n");
}
#define UNUSED(name)    \
  EXPORTED int name() { \
    return failure;     \
  }
UNUSED(ov_core_get_property)
UNUSED(ov_core_read_model_from_memory_buffer)
UNUSED(ov_core_compile_model)
UNUSED(ov_model_free)
UNUSED(ov_model_const_input_by_index)
UNUSED(ov_model_const_output_by_name)
UNUSED(ov_compiled_model_input_by_name)
UNUSED(ov_compiled_model_output_by_name)
UNUSED(ov_compiled_model_create_infer_request)
UNUSED(ov_compiled_model_free)
UNUSED(ov_port_get_element_type)
UNUSED(ov_const_port_get_shape)
UNUSED(ov_output_const_port_free)
UNUSED(ov_infer_request_set_tensor_by_const_port)
UNUSED(ov_infer_request_get_tensor_by_const_port)
UNUSED(ov_infer_request_infer)
UNUSED(ov_infer_request_free)
UNUSED(ov_tensor_create_from_host_ptr)
UNUSED(ov_tensor_get_shape)
UNUSED(ov_tensor_data)
UNUSED(ov_tensor_get_byte_size)
UNUSED(ov_tensor_free)
UNUSED(ov_shape_free)
#endif

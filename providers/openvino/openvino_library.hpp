// OpenVINO's C library, opened at run time: the functions that the module calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ortool::openvino {

// What OpenVINO's C interface calls these; the module only passes pointers on.
struct Core;
struct CompiledModel;
struct InferRequest;
struct Port;
struct Tensor;
struct SourceModel;

struct Version {
  const char* number;
  const char* description;
};
struct DeviceList {
  char** names;
  std::size_t count;
};
struct Dimensions {
  std::int64_t rank;
  std::int64_t* numbers;
};

using Status = int;  // 0: done

/// The oldest version whose interface has all of these functions.
inline constexpr int oldest_year = 2024;

/// Functions by their names without "ov_".
struct Functions {
  Status (*get_openvino_version)(Version*);
  void (*version_free)(Version*);
  Status (*core_create)(Core**);
  void (*core_free)(Core*);
  Status (*core_set_property)(const Core*, const char* device, ...);
  Status (*core_get_property)(const Core*, const char* device, const char* key, char** value);
  Status (*core_get_available_devices)(const Core*, DeviceList*);
  void (*available_devices_free)(DeviceList*);
  Status (*core_read_model_from_memory_buffer)(const Core*, const char* bytes, std::size_t length,
                                               const Tensor* weights, SourceModel**);
  Status (*core_compile_model)(const Core*, const SourceModel*, const char* device,
                               std::size_t property_count, CompiledModel**, ...);
  void (*model_free)(SourceModel*);
  Status (*model_const_input_by_index)(const SourceModel*, std::size_t index, Port**);
  Status (*model_const_output_by_name)(const SourceModel*, const char* name, Port**);
  Status (*compiled_model_input_by_name)(const CompiledModel*, const char* name, Port**);
  Status (*compiled_model_output_by_name)(const CompiledModel*, const char* name, Port**);
  Status (*compiled_model_create_infer_request)(const CompiledModel*, InferRequest**);
  void (*compiled_model_free)(CompiledModel*);
  Status (*port_get_element_type)(const Port*, int* type);
  Status (*const_port_get_shape)(const Port*, Dimensions*);  ///< fails where it is not known
  void (*output_const_port_free)(Port*);
  Status (*infer_request_set_tensor_by_const_port)(InferRequest*, const Port*, const Tensor*);
  Status (*infer_request_get_tensor_by_const_port)(const InferRequest*, const Port*, Tensor**);
  Status (*infer_request_infer)(InferRequest*);
  void (*infer_request_free)(InferRequest*);
  Status (*tensor_create_from_host_ptr)(int type, Dimensions shape, void* data, Tensor**);
  Status (*tensor_get_shape)(const Tensor*, Dimensions*);
  Status (*tensor_data)(const Tensor*, void** data);
  Status (*tensor_get_byte_size)(const Tensor*, std::size_t* bytes);
  void (*tensor_free)(Tensor*);
  Status (*shape_free)(Dimensions*);
  void (*free)(const char*);
  const char* (*get_error_info)(Status);
  const char* (*get_last_err_msg)();  ///< null in versions without it
};

/// An opened library. It stays mapped for the rest of the process, since its threads do.
class Library {
 public:
  /// `given` is a file or a folder, or empty: then ORTOOL_OPENVINO_DIR, the folder that the build
  /// names, and the system's search path are tried. Throws ModuleFailure with the reason if there
  /// is none, or one that is too old.
  explicit Library(const std::string& given);

  const Functions& functions() const { return functions_; }
  /// "2026.4.1".
  const std::string& version() const { return version_; }
  /// Throws ModuleFailure of that kind if the status is not 0: `what` could not be done, and why.
  void check(Status status, int kind, const std::string& what) const;
  /// What the library's last message says, in one short line.
  std::string message(Status status) const;

 private:
  void find_version(void* handle, const std::string& path);
  void find_functions(void* handle, const std::string& path);

  Functions functions_{};
  std::string version_;
};

}  // namespace ortool::openvino

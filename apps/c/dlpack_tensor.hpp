// The structs of DLPack 0.8 (dlpack.h), whose layout is fixed: tensors that programs exchange.
#pragma once

#include <cstdint>

enum : std::int32_t { dlpack_cpu = 1, dlpack_cuda_host = 3 };

enum : std::uint8_t {
  dlpack_int = 0,
  dlpack_unsigned = 1,
  dlpack_float = 2,
  dlpack_bfloat = 4,
  dlpack_complex = 5,
  dlpack_bool = 6
};

struct DLDevice {
  std::int32_t device_type;
  std::int32_t device_id;
};

struct DLDataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements; null: row-major
  std::uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

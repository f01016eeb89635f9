// Constant pool: the constants of a group on the device, uploaded once.
#pragma once

#include <memory>
#include <unordered_map>

#include "libcore/graph/value.hpp"
#include "libcore/tensor/tensor.hpp"
#include "providers/cuda/device/device.hpp"

namespace ortool::cuda {

/// How numbers of float32 are stored and multiplied on the device.
enum class DevicePrecision { float32, tf32, float16 };

class ConstantPool {
 public:
  ConstantPool(std::shared_ptr<Device> device, DevicePrecision precision)
      : device_(std::move(device)), precision_(precision) {}

  DevicePrecision precision() const { return precision_; }
  /// The type in which the device holds elements of `type`.
  DataType stored_type(DataType type) const {
    return precision_ == DevicePrecision::float16 && type == DataType::float32 ? DataType::float16
                                                                               : type;
  }

  void add(const Value& constant, const Tensor& content);
  /// Null: not in the pool.
  std::shared_ptr<const DeviceBuffer> find(const Value& constant) const;
  /// A new copy of `content`, in the stored type.
  std::shared_ptr<const DeviceBuffer> upload(const Tensor& content) const;
  std::int64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<Device> device_;
  DevicePrecision precision_;
  std::unordered_map<const Value*, std::shared_ptr<const DeviceBuffer>> buffers_;
  std::int64_t bytes_ = 0;
};

}  // namespace ortool::cuda

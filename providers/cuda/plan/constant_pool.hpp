// Constant pool: the constants of a group on the device, uploaded once.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libcore/graph/value.hpp"
#include "libcore/tensor/tensor.hpp"
#include "providers/cuda/device/device.hpp"
#include "providers/cuda/plan/plan_settings.hpp"

namespace ortool::cuda {

/// Where a constant is on the device.
struct StoredConstant {
  std::shared_ptr<const DeviceBuffer> buffer;
  std::int64_t offset = 0;        ///< bytes
  bool is_channels_last = false;  ///< of four axes, the second one lies behind the others
};

class ConstantPool {
 public:
  ConstantPool(std::shared_ptr<Device> device, const PlanSettings& settings)
      : device_(std::move(device)), settings_(settings) {}

  const PlanSettings& settings() const { return settings_; }
  DevicePrecision precision() const { return settings_.precision; }
  /// The type in which the device holds elements of `type`.
  DataType stored_type(DataType type) const {
    if (type != DataType::float32) return type;
    if (settings_.precision == DevicePrecision::float16) return DataType::float16;
    return settings_.precision == DevicePrecision::bfloat16 ? DataType::bfloat16 : type;
  }

  /// Whether images of this stored type have their channels behind the pixels.
  bool is_channels_last(DataType stored) const {
    if (settings_.channels_last != Choice::automatic)
      return settings_.channels_last == Choice::on && stored != DataType::float64;
    return stored == DataType::float16 || stored == DataType::bfloat16;
  }

  void add(const Value& constant, const Tensor& content, bool is_channels_last = false);
  /// Matrices of one type and shape behind each other.
  void add_stack(const std::vector<const Value*>& constants, const std::vector<Tensor>& contents);
  /// Null: not in the pool.
  const StoredConstant* find(const Value& constant) const;
  /// What `make` derives from a constant, uploaded once for each form. Thread-safe.
  std::shared_ptr<const DeviceBuffer> derived(
      const Value& constant, const std::vector<std::int64_t>& form,
      const std::function<std::vector<std::byte>()>& make) const;
  /// A new copy of `content`, in the stored type.
  std::shared_ptr<const DeviceBuffer> upload(const Tensor& content) const;
  std::int64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<Device> device_;
  PlanSettings settings_;
  std::unordered_map<const Value*, StoredConstant> stored_;
  std::int64_t bytes_ = 0;
  using Form = std::pair<const Value*, std::vector<std::int64_t>>;
  mutable std::mutex mutex_;
  mutable std::map<Form, std::shared_ptr<const DeviceBuffer>> derived_;
};

}  // namespace ortool::cuda

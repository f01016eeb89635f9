// Device memory with owners, and the names of kernels.
#include "providers/cuda/device/device.hpp"

#include <utility>

namespace ortool::cuda {

DeviceBuffer::DeviceBuffer(std::shared_ptr<Device> device, std::int64_t bytes,
                           std::string_view purpose)
    : device_(std::move(device)), bytes_(bytes) {
  if (bytes > 0) data_ = device_->allocate(bytes, purpose);
}

DeviceBuffer::~DeviceBuffer() {
  if (data_ != nullptr) device_->release(data_);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : device_(std::move(other.device_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

StagingBuffer::StagingBuffer(std::shared_ptr<Device> device, std::int64_t bytes)
    : device_(std::move(device)) {
  if (bytes > 0) data_ = device_->allocate_staging(bytes);
}

StagingBuffer::~StagingBuffer() {
  if (data_ != nullptr) device_->release_staging(data_);
}

StagingBuffer::StagingBuffer(StagingBuffer&& other) noexcept
    : device_(std::move(other.device_)), data_(std::exchange(other.data_, nullptr)) {}

StagingBuffer& StagingBuffer::operator=(StagingBuffer&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(data_, other.data_);
  return *this;
}

}  // namespace ortool::cuda

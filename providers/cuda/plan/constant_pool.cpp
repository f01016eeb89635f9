// Constant pool: converts and uploads constants.
#include "providers/cuda/plan/constant_pool.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cpu/elementwise/cast.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cuda {

void ConstantPool::add(const Value& constant, const Tensor& content) {
  std::shared_ptr<const DeviceBuffer>& buffer = buffers_[&constant];
  if (buffer != nullptr) return;
  buffer = upload(content);
  bytes_ += buffer->bytes();
}

std::shared_ptr<const DeviceBuffer> ConstantPool::find(const Value& constant) const {
  const auto found = buffers_.find(&constant);
  return found == buffers_.end() ? nullptr : found->second;
}

std::shared_ptr<const DeviceBuffer> ConstantPool::upload(const Tensor& content) const {
  const DataType stored = stored_type(content.type());
  if (stored == content.type()) {
    auto buffer = std::make_shared<DeviceBuffer>(
        device_, std::max<std::int64_t>(1, content.size_bytes()), "a constant");
    if (content.size_bytes() > 0)
      device_->write(buffer->data(), content.bytes(), content.size_bytes());
    return buffer;
  }
  // Numbers beyond float16's range become its greatest, not infinite.
  constexpr float most = 65504.0F;
  const Tensor aligned = content.aligned();
  const auto from = aligned.data<float>();
  std::vector<float> kept(from.begin(), from.end());
  for (float& number : kept) {
    if (std::isfinite(number)) number = std::clamp(number, -most, most);
  }
  Tensor narrow(stored, content.shape());
  Workers alone;
  cpu::cast(DataType::float32, kept.data(), stored, narrow.mutable_bytes(), content.element_count(),
            alone);
  return upload(narrow);
}

}  // namespace ortool::cuda

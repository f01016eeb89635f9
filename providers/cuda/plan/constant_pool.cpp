// Constant pool: converts and uploads constants.
#include "providers/cuda/plan/constant_pool.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/tensor/convert.hpp"

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
  Tensor narrow(stored, content.shape());
  const auto from = aligned.data<float>();
  for (std::int64_t i = 0; i < content.element_count(); ++i) {
    const float number = from[static_cast<std::size_t>(i)];
    const float kept = std::isfinite(number) ? std::clamp(number, -most, most) : number;
    set_element(narrow, i, static_cast<double>(kept));
  }
  return upload(narrow);
}

}  // namespace ortool::cuda

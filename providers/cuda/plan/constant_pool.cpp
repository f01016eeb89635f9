// Constant pool: converts and uploads constants.
#include "providers/cuda/plan/constant_pool.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/cpu/elementwise/cast.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cuda {

namespace {

/// The elements of four axes in the order 0, 2, 3, 1.
Tensor with_channels_last(const Tensor& content) {
  const Shape& shape = content.shape();
  const std::int64_t channels = shape[1];
  const std::int64_t pixels = shape[2] * shape[3];
  const std::int64_t bytes = bytes_of(content.type(), 1);
  Tensor result(content.type(), shape);
  const auto* from = content.bytes();
  auto* to = result.mutable_bytes();
  for (std::int64_t image = 0; image < shape[0]; ++image) {
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
      for (std::int64_t channel = 0; channel < channels; ++channel) {
        std::memcpy(to, from + ((image * channels + channel) * pixels + pixel) * bytes,
                    static_cast<std::size_t>(bytes));
        to += bytes;
      }
    }
  }
  return result;
}

}  // namespace

void ConstantPool::add(const Value& constant, const Tensor& content, bool is_channels_last) {
  if (stored_.contains(&constant)) return;
  StoredConstant stored = {upload(is_channels_last ? with_channels_last(content) : content), 0,
                           is_channels_last};
  bytes_ += stored.buffer->bytes();
  stored_[&constant] = std::move(stored);
}

void ConstantPool::add_stack(const std::vector<const Value*>& constants,
                             const std::vector<Tensor>& contents) {
  const auto count = static_cast<std::int64_t>(contents.size());
  Tensor whole(contents.front().type(), Shape{count, contents.front().element_count()});
  auto* to = whole.mutable_bytes();
  for (const Tensor& content : contents) {
    std::memcpy(to, content.bytes(), static_cast<std::size_t>(content.size_bytes()));
    to += content.size_bytes();
  }
  const std::shared_ptr<const DeviceBuffer> buffer = upload(whole);
  bytes_ += buffer->bytes();
  for (std::size_t i = 0; i < constants.size(); ++i) {
    stored_[constants[i]] = {buffer, static_cast<std::int64_t>(i) * buffer->bytes() / count};
  }
}

const StoredConstant* ConstantPool::find(const Value& constant) const {
  const auto found = stored_.find(&constant);
  return found == stored_.end() ? nullptr : &found->second;
}

std::shared_ptr<const DeviceBuffer> ConstantPool::derived(
    const Value& constant, const std::vector<std::int64_t>& form,
    const std::function<std::vector<std::byte>()>& make) const {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const DeviceBuffer>& buffer = derived_[{&constant, form}];
  if (buffer != nullptr) return buffer;
  const std::vector<std::byte> bytes = make();
  const auto count = static_cast<std::int64_t>(bytes.size());
  auto made = std::make_shared<DeviceBuffer>(device_, std::max<std::int64_t>(1, count),
                                             "a packed constant");
  if (count > 0) device_->write(made->data(), bytes.data(), count);
  buffer = std::move(made);
  return buffer;
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
    if (stored == DataType::float16 && std::isfinite(number))
      number = std::clamp(number, -most, most);
  }
  Tensor narrow(stored, content.shape());
  Workers alone;
  cpu::cast(DataType::float32, kept.data(), stored, narrow.mutable_bytes(), content.element_count(),
            alone);
  return upload(narrow);
}

}  // namespace ortool::cuda

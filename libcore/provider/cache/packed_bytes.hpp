// Packed constants of a kernel: in memory of its own, or in a mapped cache file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "libcore/base/memory/aligned_buffer.hpp"

namespace ortool {

/// Immutable once packed; aligned to 64 bytes, with 64 readable bytes behind them. Copies share the
/// bytes.
class PackedBytes {
 public:
  PackedBytes() = default;
  explicit PackedBytes(AlignedBuffer buffer) : size_bytes_(buffer.size_bytes()) {
    auto shared = std::make_shared<const AlignedBuffer>(std::move(buffer));
    data_ = shared->data();
    owner_ = std::move(shared);
  }
  PackedBytes(const std::byte* data, std::int64_t size_bytes, std::shared_ptr<const void> owner)
      : data_(data), size_bytes_(size_bytes), owner_(std::move(owner)) {}

  const std::byte* data() const { return data_; }
  std::int64_t size_bytes() const { return size_bytes_; }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }

 private:
  const std::byte* data_ = nullptr;
  std::int64_t size_bytes_ = 0;
  std::shared_ptr<const void> owner_;
};

}  // namespace ortool

// AlignedBuffer: owned memory, aligned for SIMD loads and counted against a memory cap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ortool {

class MemoryCap;

/// Move-only buffer, aligned to 64 bytes, with 64 readable bytes of padding so that a full vector
/// can be loaded at the last element.
class AlignedBuffer {
 public:
  static constexpr std::size_t alignment_bytes = 64;

  AlignedBuffer() = default;
  /// Uninitialized memory. Throws ErrorCode::memory_limit when `cap` (null: none) or the system
  /// refuses. `cap` must outlive the buffer. `purpose` describes the buffer in that error.
  AlignedBuffer(std::int64_t size_bytes, MemoryCap* cap, std::string_view purpose = "a buffer");
  AlignedBuffer(AlignedBuffer&& other) noexcept;
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept;
  ~AlignedBuffer();

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::int64_t size_bytes() const { return size_bytes_; }

  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data_);
  }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }

 private:
  void release() noexcept;

  std::byte* data_ = nullptr;
  std::int64_t size_bytes_ = 0;
  MemoryCap* cap_ = nullptr;
};

}  // namespace ortool

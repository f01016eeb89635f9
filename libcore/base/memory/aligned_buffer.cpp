// Allocation of aligned buffers under a memory cap, from the thread's pool if it has one.
#include "libcore/base/memory/aligned_buffer.hpp"

#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/memory/aligned_memory.hpp"
#include "libcore/base/memory/buffer_pool.hpp"
#include "libcore/base/memory/kept_memory.hpp"
#include "libcore/base/memory/memory_cap.hpp"

namespace ortool {
namespace {

std::byte* allocate(std::int64_t bytes, BufferPool* pool) {
  return pool != nullptr ? pool->allocate(bytes)
                         : allocate_aligned(static_cast<std::size_t>(bytes));
}

void deallocate(std::byte* data) noexcept {
  if (data == nullptr || manager_of(data) == nullptr) return free_aligned(data);
  BufferPool::give_back(data);
}

}  // namespace

AlignedBuffer::AlignedBuffer(std::int64_t size_bytes, MemoryCap* cap, std::string_view purpose)
    : size_bytes_(size_bytes), cap_(cap) {
  ORTOOL_CHECK(size_bytes >= 0);
  const std::size_t whole = (static_cast<std::size_t>(size_bytes) + 2 * alignment_bytes - 1) /
                            alignment_bytes * alignment_bytes;
  const auto padded = static_cast<std::int64_t>(whole);
  bool is_taken = false;
  BufferPool* pool = BufferPool::of_this_thread(padded);
  if (pool != nullptr) data_ = pool->find(padded);
  try {
    if (cap_ != nullptr) cap_->take(size_bytes, purpose);
    is_taken = true;
    if (data_ == nullptr) data_ = allocate(padded, pool);
    if (data_ == nullptr && cap_ != nullptr && release_kept_memory(*cap_))
      data_ = allocate(padded, pool);
  } catch (...) {
    if (is_taken && cap_ != nullptr) cap_->give_back(size_bytes);
    deallocate(data_);
    throw;
  }
  if (data_ == nullptr) {
    if (cap_ != nullptr) cap_->give_back(size_bytes);
    throw Error(ErrorCode::memory_limit,
                format("{} needs {} bytes, which the system cannot provide", purpose, size_bytes),
                "give smaller inputs, or run on a machine with more memory");
  }
}

AlignedBuffer::AlignedBuffer(AlignedBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)),
      cap_(std::exchange(other.cap_, nullptr)) {}

AlignedBuffer& AlignedBuffer::operator=(AlignedBuffer&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    size_bytes_ = std::exchange(other.size_bytes_, 0);
    cap_ = std::exchange(other.cap_, nullptr);
  }
  return *this;
}

AlignedBuffer::~AlignedBuffer() {
  release();
}

void AlignedBuffer::release() noexcept {
  if (data_ != nullptr && cap_ != nullptr) cap_->give_back(size_bytes_);
  deallocate(data_);
  data_ = nullptr;
}

}  // namespace ortool

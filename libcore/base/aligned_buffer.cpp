// Allocation of aligned bytes under a memory cap, in large pages where whole ones fit.
#include "libcore/base/aligned_buffer.hpp"

#include <cstdlib>
#include <cstring>
#include <utility>

#include <sys/mman.h>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/memory_cap.hpp"

namespace ortool {
namespace {

/// Of most x86-64 systems; a wrong guess costs speed alone.
constexpr std::size_t large_page_bytes = std::size_t{2} << 20;

/// Weights and activations that are walked through page by page cost a look into the page table for
/// every 4 KiB. The bytes behind the last whole large page keep small ones, so that no memory is
/// taken that nobody asked for. A system without large pages refuses, which changes nothing.
void ask_for_large_pages(std::byte* data, std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  const std::size_t whole = bytes / large_page_bytes * large_page_bytes;
  if (whole > 0) static_cast<void>(::madvise(data, whole, MADV_HUGEPAGE));
#endif
}

/// Aligned by hand, with the block's begin in front of the bytes: aligned_alloc() of older C
/// libraries leaves holes that the next bytes of the same size do not fit into.
std::byte* allocate(std::size_t bytes) {
  const bool is_large = bytes >= large_page_bytes;
  const std::size_t alignment = is_large ? large_page_bytes : AlignedBuffer::alignment_bytes;
  void* block = std::malloc(bytes + alignment);
  if (block == nullptr) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  auto* data = static_cast<std::byte*>(block) + (alignment - begin % alignment);
  std::memcpy(data - sizeof(block), &block, sizeof(block));
  if (is_large) ask_for_large_pages(data, bytes);
  return data;
}

void deallocate(std::byte* data) {
  if (data == nullptr) return;
  void* block = nullptr;
  std::memcpy(&block, data - sizeof(block), sizeof(block));
  std::free(block);
}

}  // namespace

AlignedBuffer::AlignedBuffer(std::int64_t size_bytes, MemoryCap* cap, std::string_view purpose)
    : size_bytes_(size_bytes), cap_(cap) {
  ORTOOL_CHECK(size_bytes >= 0);
  if (cap_ != nullptr) cap_->take(size_bytes, purpose);
  const std::size_t padded = (static_cast<std::size_t>(size_bytes) + 2 * alignment_bytes - 1) /
                             alignment_bytes * alignment_bytes;
  data_ = allocate(padded);
  if (data_ == nullptr) {
    if (cap_ != nullptr) cap_->give_back(size_bytes);
    throw Error(ErrorCode::memory_limit,
                format("{} needs {} bytes and the system refuses them", purpose, size_bytes),
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
  deallocate(data_);
  if (data_ != nullptr && cap_ != nullptr) cap_->give_back(size_bytes_);
  data_ = nullptr;
}

}  // namespace ortool

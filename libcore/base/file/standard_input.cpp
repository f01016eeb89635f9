// Reads standard input into a block that grows within the memory limit.
#include "libcore/base/file/standard_input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <new>
#include <unistd.h>

#include "libcore/base/error.hpp"
#include "libcore/base/file/descriptor.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/setting_name.hpp"

namespace ortool {
namespace {

constexpr std::int64_t min_growth_bytes = 1 << 16;

/// realloc() remaps the pages of large blocks instead of copying them, so the peak is the block
/// itself.
class GrowingBlock {
 public:
  explicit GrowingBlock(MemoryCap* cap) : cap_(cap) {}
  ~GrowingBlock() {
    std::free(data_);
    if (cap_ != nullptr) cap_->give_back(capacity_);
  }
  GrowingBlock(const GrowingBlock&) = delete;
  GrowingBlock& operator=(const GrowingBlock&) = delete;

  std::span<std::byte> room() const {
    return {data_ + size_, static_cast<std::size_t>(capacity_ - size_)};
  }
  void fill(std::int64_t bytes) { size_ += bytes; }
  std::span<const std::byte> bytes() const { return {data_, static_cast<std::size_t>(size_)}; }
  std::int64_t capacity() const { return capacity_; }

  /// Grows by half, or up to `max_bytes`; returns false if that allows nothing.
  bool grow(std::int64_t max_bytes) {
    const std::int64_t growth =
        std::min(std::max(min_growth_bytes, capacity_ / 2), max_bytes - capacity_);
    if (growth <= 0) return false;
    if (cap_ != nullptr) cap_->take(growth, "standard input");
    void* const grown = std::realloc(data_, static_cast<std::size_t>(capacity_ + growth));
    if (grown == nullptr) {
      if (cap_ != nullptr) cap_->give_back(growth);
      throw std::bad_alloc();
    }
    data_ = static_cast<std::byte*>(grown);
    capacity_ += growth;
    return true;
  }

 private:
  MemoryCap* cap_;
  std::byte* data_ = nullptr;
  std::int64_t size_ = 0;
  std::int64_t capacity_ = 0;
};

/// The maximum size to which a block of `capacity` bytes may grow.
std::int64_t max_capacity(const MemoryCap* cap, std::int64_t capacity, std::int64_t max_bytes) {
  std::int64_t most = max_bytes >= 0 ? max_bytes + 1 : std::numeric_limits<std::int64_t>::max();
  if (cap == nullptr || cap->limit_bytes() == 0) return std::min(most, machine_memory_bytes() / 2);
  return std::min(most,
                  capacity + std::max<std::int64_t>(0, cap->limit_bytes() - cap->used_bytes()));
}

}  // namespace

StandardInput read_standard_input(MemoryCap* cap, std::int64_t max_bytes) {
  const auto block = std::make_shared<GrowingBlock>(cap);
  while (true) {
    const bool has_room =
        !block->room().empty() || block->grow(max_capacity(cap, block->capacity(), max_bytes));
    const auto held = static_cast<std::int64_t>(block->bytes().size());
    if (!has_room || (max_bytes >= 0 && held > max_bytes)) {
      throw Error(
          ErrorCode::memory_limit,
          format("standard input holds more than the {} bytes allowed",
                 max_bytes >= 0 && held > max_bytes ? max_bytes : held),
          format("store it in a file, which is mapped rather than read into memory, or raise {}",
                 setting_name("max-memory")))
          .with_id("file.size");
    }
    const std::span<std::byte> room = block->room();
    const ssize_t count =
        retry_interrupted([&] { return ::read(STDIN_FILENO, room.data(), room.size()); });
    if (count < 0) {
      throw Error(ErrorCode::invalid,
                  format("standard input cannot be read ({})", error_text(errno)))
          .with_id("file.read");
    }
    if (count == 0) return {block->bytes(), block};
    block->fill(count);
  }
}

}  // namespace ortool

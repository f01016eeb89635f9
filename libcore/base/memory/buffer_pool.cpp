// Best-fit search among a pool's free blocks, and limits on what it retains.
#include "libcore/base/memory/buffer_pool.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/base/memory/aligned_memory.hpp"
#include "libcore/base/memory/memory_cap.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace ortool {
namespace {

/// Lets the address sanitizer report accesses to free blocks.
void forbid_use([[maybe_unused]] const std::byte* data, [[maybe_unused]] std::int64_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_poison_memory_region(data, static_cast<std::size_t>(bytes));
#endif
}

void allow_use([[maybe_unused]] const std::byte* data, [[maybe_unused]] std::int64_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(data, static_cast<std::size_t>(bytes));
#endif
}

/// A free block serves requests of at least half its size.
constexpr std::int64_t max_slack_ratio = 2;
constexpr std::int64_t growth_divisor = 8;
constexpr std::int64_t max_growth_bytes = std::int64_t{16} << 20;

constinit thread_local BufferPool* pool_of_this_thread = nullptr;

}  // namespace

BufferPool::Scope::Scope(BufferPool* pool) noexcept : before_(pool_of_this_thread) {
  pool_of_this_thread = pool;
}

BufferPool::Scope::~Scope() {
  pool_of_this_thread = before_;
}

BufferPool* BufferPool::of_this_thread(std::int64_t bytes) noexcept {
  return bytes >= min_pooled_bytes ? pool_of_this_thread : nullptr;
}

std::shared_ptr<BufferPool> BufferPool::make(MemoryCap* cap) {
  std::shared_ptr<BufferPool> pool(new BufferPool(cap));
  pool->list();
  return pool;
}

BufferPool::~BufferPool() {
  close();
}

void BufferPool::close() noexcept {
  unlist();
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  free_all();
}

bool BufferPool::try_count(std::int64_t bytes) noexcept {
  if (cap_ == nullptr) return true;
  const std::int64_t limit = cap_->limit_bytes();
  if (limit > 0 && cap_->used_bytes() > limit - bytes) return false;
  const NoRelease no_release;
  try {
    cap_->take(bytes, "memory for the next runs");
  } catch (const std::exception&) {  // another thread was faster
    return false;
  }
  return true;
}

void BufferPool::uncount(std::int64_t bytes) noexcept {
  if (cap_ != nullptr) cap_->give_back(bytes);
}

std::byte* BufferPool::find(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  auto entry = by_size_.lower_bound(bytes);
  if (entry == by_size_.end() || entry->first / max_slack_ratio > bytes) return nullptr;
  // The last of equal blocks is the one most likely to be in the processor's caches.
  entry = std::prev(by_size_.upper_bound(entry->first));
  Block& block = *entry->second;
  block.pool = shared_from_this();
  block.entry = by_size_.extract(entry);
  block.room = block.bytes - bytes;
  used_.splice(used_.end(), free_, block.place);
  free_bytes_ -= block.bytes;
  used_bytes_ += block.bytes;
  max_used_bytes_ = std::max(max_used_bytes_, used_bytes_);
  uncount(bytes);
  allow_use(block.data, block.bytes);
  return block.data;
}

std::int64_t BufferPool::room_for(std::int64_t bytes) const {
  const std::lock_guard lock(mutex_);
  const auto above = by_size_.lower_bound(bytes);
  const bool is_growing =
      above != by_size_.begin() && std::prev(above)->first >= bytes / max_slack_ratio;
  return is_growing ? std::min(bytes / growth_divisor, max_growth_bytes) : 0;
}

std::byte* BufferPool::allocate(std::int64_t bytes) {
  Blocks made(1);
  Block& block = made.front();
  block.place = made.begin();
  block.pool = shared_from_this();
  BySize entry;
  entry.emplace(0, &block);
  block.entry = entry.extract(entry.begin());
  block.room = room_for(bytes);
  if (block.room > 0 && !try_count(block.room)) block.room = 0;
  block.bytes = bytes + block.room;
  block.entry.key() = block.bytes;
  block.data = allocate_aligned(static_cast<std::size_t>(block.bytes));
  if (block.data == nullptr) {
    uncount(block.room);
    return nullptr;
  }
  set_manager(block.data, &block);
  const std::lock_guard lock(mutex_);
  used_.splice(used_.end(), made);
  used_bytes_ += block.bytes;
  max_used_bytes_ = std::max(max_used_bytes_, used_bytes_);
  while (!free_.empty() && used_bytes_ + free_bytes_ > 2 * max_used_bytes_) free_oldest();
  return block.data;
}

void BufferPool::give_back(std::byte* data) noexcept {
  auto& block = *static_cast<Block*>(manager_of(data));
  const std::shared_ptr<BufferPool> pool = std::move(block.pool);
  if (pool->keep(block)) return;
  free_aligned(data);
  pool->uncount(block.room);
  const std::lock_guard lock(pool->mutex_);
  pool->used_.erase(block.place);
}

/// Adds a used block to the free list. Returns false if it must be freed instead.
bool BufferPool::keep(Block& block) noexcept {
  const bool is_counted = try_count(block.bytes - block.room);
  const std::lock_guard lock(mutex_);
  used_bytes_ -= block.bytes;
  if (!is_counted || is_closed_) {
    if (is_counted) uncount(block.bytes - block.room);
    return false;
  }
  block.run = run_;
  forbid_use(block.data, block.bytes);
  free_.splice(free_.end(), used_, block.place);
  by_size_.insert(std::move(block.entry));
  free_bytes_ += block.bytes;
  return true;
}

void BufferPool::free_oldest() noexcept {
  Block& block = free_.front();
  const auto [first, last] = by_size_.equal_range(block.bytes);
  by_size_.erase(
      std::find_if(first, last, [&](const auto& entry) { return entry.second == &block; }));
  free_bytes_ -= block.bytes;
  allow_use(block.data, block.bytes);
  free_aligned(block.data);
  uncount(block.bytes);
  free_.pop_front();
}

void BufferPool::free_all() noexcept {
  while (!free_.empty()) free_oldest();
}

void BufferPool::begin_run() {
  const std::lock_guard lock(mutex_);
  ++run_;
  while (!free_.empty() && free_.front().run + max_idle_runs < run_) free_oldest();
}

void BufferPool::release_kept() noexcept {
  const std::lock_guard lock(mutex_);
  free_all();
}

std::int64_t BufferPool::free_bytes() const {
  const std::lock_guard lock(mutex_);
  return free_bytes_;
}

std::int64_t BufferPool::used_bytes() const {
  const std::lock_guard lock(mutex_);
  return used_bytes_;
}

}  // namespace ortool

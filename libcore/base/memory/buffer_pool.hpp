// BufferPool: recycles memory blocks instead of returning them to the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "libcore/base/memory/kept_memory.hpp"

namespace ortool {

class MemoryCap;

/// Pages returned to the system must be faulted in and zeroed again by the next run. While a pool's
/// Scope is active, the AlignedBuffers that its thread creates take their blocks from the pool, and
/// return them wherever and whenever they are destroyed. Free and used blocks together never exceed
/// twice the peak use. A block that was not needed for `max_idle_runs` runs is freed. Free blocks
/// count against the cap and are released when it is exhausted. Thread-safe.
class BufferPool : public KeptMemory, public std::enable_shared_from_this<BufferPool> {
 public:
  /// Smaller blocks are left to the C library, which recycles them itself.
  static constexpr std::int64_t min_pooled_bytes = 1024;
  static constexpr std::int64_t max_idle_runs = 64;

  /// `cap` may be null; otherwise it must outlive the pool and all of its blocks.
  static std::shared_ptr<BufferPool> make(MemoryCap* cap);
  ~BufferPool() override;

  /// Makes a pool the current one of this thread; null: none.
  class Scope {
   public:
    explicit Scope(BufferPool* pool) noexcept;
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    BufferPool* before_;
  };
  /// Null outside of any Scope, and for sizes that are not pooled.
  static BufferPool* of_this_thread(std::int64_t bytes) noexcept;

  /// Takes a free block for `bytes` bytes off the free list; null if none fits.
  std::byte* find(std::int64_t bytes);
  /// Allocates a new block; null when the system refuses. If requests grow from run to run, as for
  /// a decoder's KV cache, the block has room for the next ones.
  std::byte* allocate(std::int64_t bytes);
  /// Returns a block to its pool, or frees it.
  static void give_back(std::byte* data) noexcept;

  /// Starts a run, and frees the blocks that recent runs did not need.
  void begin_run();
  void release_kept() noexcept override;
  /// Stops retaining blocks: from now on, each is freed as soon as it is unused.
  void close() noexcept;
  /// Total size of the free blocks, and of the blocks in use.
  std::int64_t free_bytes() const;
  std::int64_t used_bytes() const;

 private:
  struct Block;
  using Blocks = std::list<Block>;
  using BySize = std::multimap<std::int64_t, Block*>;
  struct Block {
    std::byte* data = nullptr;
    std::int64_t bytes = 0;
    std::int64_t room = 0;             ///< extra bytes of the block, counted by the pool
    std::int64_t run = 0;              ///< the run in which it was returned
    std::shared_ptr<BufferPool> pool;  ///< while in use
    Blocks::iterator place;
    BySize::node_type entry;  ///< while in use
  };

  explicit BufferPool(MemoryCap* cap) : KeptMemory(cap), cap_(cap) {}
  std::int64_t room_for(std::int64_t bytes) const;
  bool try_count(std::int64_t bytes) noexcept;
  void uncount(std::int64_t bytes) noexcept;
  bool keep(Block& block) noexcept;
  void free_oldest() noexcept;
  void free_all() noexcept;

  MemoryCap* cap_;
  mutable std::mutex mutex_;
  Blocks free_;  ///< most recently returned last
  Blocks used_;
  BySize by_size_;  ///< only the free ones
  std::int64_t free_bytes_ = 0;
  std::int64_t used_bytes_ = 0;
  std::int64_t max_used_bytes_ = 0;
  std::int64_t run_ = 0;
  bool is_closed_ = false;
};

}  // namespace ortool

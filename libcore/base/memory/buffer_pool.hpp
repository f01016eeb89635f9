// A pool of memory blocks that are used again instead of being returned to the system.
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

/// Pages that a run returns to the system have to be faulted in and zeroed again by the next run.
/// While a Scope of a pool lives, the AlignedBuffers that its thread makes take their blocks from
/// the pool, and return them to it wherever and whenever they end. Free blocks and those in use
/// together never exceed twice what was in use at most; a block that `most_idle_runs` runs had no
/// use for is freed; free blocks count against the cap, and are freed where it has no more room.
/// Safe for many threads.
class BufferPool : public KeptMemory, public std::enable_shared_from_this<BufferPool> {
 public:
  /// Smaller blocks are left to the C library, which keeps them itself.
  static constexpr std::int64_t least_pooled_bytes = 1024;
  static constexpr std::int64_t most_idle_runs = 64;

  /// `cap` may be null; otherwise it must outlive the pool and all blocks from it.
  static std::shared_ptr<BufferPool> make(MemoryCap* cap);
  ~BufferPool() override;

  /// Makes a pool the one of this thread; null: none.
  class Scope {
   public:
    explicit Scope(BufferPool* pool) noexcept;
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    BufferPool* before_;
  };
  /// Null outside of every Scope, and for sizes that no pool keeps.
  static BufferPool* of_this_thread(std::int64_t bytes) noexcept;

  /// A free block for `bytes` bytes, which does not count as free any more; null where none fits.
  std::byte* find(std::int64_t bytes);
  /// A new block; null where the system refuses. Where requests grow from run to run, as the caches
  /// of a decoder do, it has room for the next ones.
  std::byte* allocate(std::int64_t bytes);
  /// Keeps a block that came from a pool, or frees it.
  static void give_back(std::byte* data) noexcept;

  /// Counts a run, and frees the blocks that the last ones had no use for.
  void begin_run();
  void release_kept() noexcept override;
  /// From now on nothing is kept: a block is freed as soon as nobody uses it.
  void close() noexcept;
  /// Of free blocks, and of those in use.
  std::int64_t free_bytes() const;
  std::int64_t used_bytes() const;

 private:
  struct Block;
  using Blocks = std::list<Block>;
  using BySize = std::multimap<std::int64_t, Block*>;
  struct Block {
    std::byte* data = nullptr;
    std::int64_t bytes = 0;
    std::int64_t room = 0;             ///< bytes behind those asked for, counted by the pool
    std::int64_t run = 0;              ///< in which it was given back
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
  Blocks free_;  ///< most recently given back last
  Blocks used_;
  BySize by_size_;  ///< of the free ones
  std::int64_t free_bytes_ = 0;
  std::int64_t used_bytes_ = 0;
  std::int64_t most_used_bytes_ = 0;
  std::int64_t run_ = 0;
  bool is_closed_ = false;
};

}  // namespace ortool

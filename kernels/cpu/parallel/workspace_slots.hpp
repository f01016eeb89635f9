// Workspace slots: parts of a workspace lent to concurrently running tasks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libcore/base/parallel/thread_number.hpp"

namespace ortool::cpu {

/// Lends one of `count` equal slots to each task of a job; all tasks of a thread get the same slot,
/// which is in its cache. `count` is at least the job's number of threads.
class WorkspaceSlots {
 public:
  static constexpr int most = 257;

  WorkspaceSlots(void* workspace, std::int64_t slot_bytes, int count)
      : base_(static_cast<std::byte*>(workspace)), slot_bytes_(slot_bytes), count_(count) {}

  /// The calling thread's slot, for one task.
  class Lease {
   public:
    explicit Lease(const WorkspaceSlots& slots) {
      // A thread index out of range belongs to a thread that runs the job alone.
      const int number = thread_number();
      data_ = slots.base_ + (number < slots.count_ ? number : 0) * slots.slot_bytes_;
    }
    std::byte* data() const { return data_; }

   private:
    std::byte* data_;
  };

 private:
  std::byte* base_;
  std::int64_t slot_bytes_;
  int count_;
};

}  // namespace ortool::cpu

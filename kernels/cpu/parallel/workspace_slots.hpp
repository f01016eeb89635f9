// Parts of a workspace lent to tasks that run at the same time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libcore/base/parallel/thread_number.hpp"

namespace ortool::cpu {

/// Lends one of `count` equal parts to each task of a job: the same one to a thread in each of its
/// tasks, since that lies in its cache. `count` is at least the job's number of threads.
class WorkspaceSlots {
 public:
  static constexpr int most = 257;

  WorkspaceSlots(void* workspace, std::int64_t slot_bytes, int count)
      : base_(static_cast<std::byte*>(workspace)), slot_bytes_(slot_bytes), count_(count) {}

  /// The calling thread's part, for one task.
  class Loan {
   public:
    explicit Loan(const WorkspaceSlots& slots) {
      // A number beyond them is that of a thread that does the job by itself.
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

// Parts of a workspace lent to tasks that run at the same time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ortool::cpu {

/// Lends one of `count` equal parts to each task. As many tasks as there are threads run at once,
/// so a part is always free when `count` is at least the number of threads.
class WorkspaceSlots {
 public:
  static constexpr int most = 257;

  WorkspaceSlots(void* workspace, std::int64_t slot_bytes, int count)
      : base_(static_cast<std::byte*>(workspace)),
        slot_bytes_(slot_bytes),
        count_(count < most ? count : most) {}

  /// A part of the workspace while this lives.
  class Loan {
   public:
    explicit Loan(WorkspaceSlots& slots) : slots_(slots) {
      while (slots_.taken_[index_].exchange(true, std::memory_order_acquire)) {
        index_ = index_ + 1 < slots_.count_ ? index_ + 1 : 0;
      }
    }
    ~Loan() { slots_.taken_[index_].store(false, std::memory_order_release); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    std::byte* data() const { return slots_.base_ + index_ * slots_.slot_bytes_; }

   private:
    WorkspaceSlots& slots_;
    int index_ = 0;
  };

 private:
  std::byte* base_;
  std::int64_t slot_bytes_;
  int count_;
  std::atomic<bool> taken_[most] = {};
};

}  // namespace ortool::cpu

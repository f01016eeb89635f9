// Workspace layout: parts of a kernel's scratch memory, and the threads they are sized for.
#pragma once

#include <cstdint>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool {

/// Assigns aligned offsets in a workspace that has not been allocated yet.
class WorkspaceLayout {
 public:
  /// The offset of the next `bytes` bytes.
  std::int64_t add(std::int64_t bytes) {
    const std::int64_t offset = bytes_;
    bytes_ += (bytes + 63) / 64 * 64;
    return offset;
  }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::int64_t bytes_ = 0;
};

/// The workers of a run, or the calling thread alone if they are more than the workspace was sized
/// for. (Results are bit-identical.)
class SizedWorkers {
 public:
  SizedWorkers(Workers& workers, int max_threads)
      : alone_(workers.stop()), chosen_(workers.count() <= max_threads ? workers : alone_) {}
  Workers& get() { return chosen_; }

 private:
  Workers alone_;
  Workers& chosen_;
};

}  // namespace ortool

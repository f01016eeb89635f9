// OpenMP thread limit: keeps oneDNN on the calling thread, since our thread pool splits the work.
#pragma once

namespace ortool::onednn {

/// While it lives, OpenMP uses no other threads for the calling thread. Two thread pools would
/// compete for the processors, and oneDNN would split sums by the number of threads. Restores the
/// previous setting.
class SingleThreadScope {
 public:
  SingleThreadScope();
  ~SingleThreadScope();
  SingleThreadScope(const SingleThreadScope&) = delete;
  SingleThreadScope& operator=(const SingleThreadScope&) = delete;

 private:
  int previous_;
};

}  // namespace ortool::onednn

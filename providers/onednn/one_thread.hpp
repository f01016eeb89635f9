// Keeps oneDNN to the calling thread: the work is cut by our own workers.
#pragma once

namespace ortool::onednn {

/// While it lives, OpenMP gives the calling thread no others. Two pools would fight for the
/// processors, and oneDNN would cut sums by their number. What the thread had is put back.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int previous_;
};

}  // namespace ortool::onednn

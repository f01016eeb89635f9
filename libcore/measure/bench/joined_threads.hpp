// Threads that are always joined, even if their creator throws.
#pragma once

#include <thread>
#include <utility>
#include <vector>

namespace ortool {

/// If a thread cannot be started, throws after joining those that are already running.
class JoinedThreads {
 public:
  JoinedThreads() = default;
  ~JoinedThreads() { join(); }
  JoinedThreads(const JoinedThreads&) = delete;
  JoinedThreads& operator=(const JoinedThreads&) = delete;

  template <typename Body>
  void start(Body body) {
    threads_.reserve(threads_.size() + 1);
    threads_.emplace_back(std::move(body));
  }
  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace ortool

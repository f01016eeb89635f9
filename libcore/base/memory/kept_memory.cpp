// The registry of all retained memory, searched by memory cap.
#include "libcore/base/memory/kept_memory.hpp"

#include <mutex>

namespace ortool {
namespace {

constinit std::mutex list_mutex;
constinit KeptMemory* first_listed = nullptr;
constinit thread_local int refusals = 0;  // NoRelease objects of this thread

}  // namespace

NoRelease::NoRelease() noexcept {
  ++refusals;
}

NoRelease::~NoRelease() {
  --refusals;
}

void KeptMemory::list() noexcept {
  const std::lock_guard lock(list_mutex);
  after_ = first_listed;
  if (after_ != nullptr) after_->before_ = this;
  first_listed = this;
  is_listed_ = true;
}

void KeptMemory::unlist() noexcept {
  const std::lock_guard lock(list_mutex);
  if (!is_listed_) return;
  is_listed_ = false;
  if (after_ != nullptr) after_->before_ = before_;
  (before_ != nullptr ? before_->after_ : first_listed) = after_;
}

bool release_kept_memory(const MemoryCap& cap) noexcept {
  if (refusals > 0) return false;
  const NoRelease while_releasing;
  bool is_any = false;
  const std::lock_guard lock(list_mutex);
  for (KeptMemory* each = first_listed; each != nullptr; each = each->after_) {
    if (each->cap_ != &cap) continue;
    each->release_kept();
    is_any = true;
  }
  return is_any;
}

}  // namespace ortool

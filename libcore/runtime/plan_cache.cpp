// The least-recently-used list behind the plan cache.
#include "libcore/runtime/plan_cache.hpp"

namespace ortool {

std::shared_ptr<const Plan> PlanCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->plan;
}

void PlanCache::insert(const std::string& key, std::shared_ptr<const Plan> plan) {
  const std::lock_guard lock(mutex_);
  if (by_key_.contains(key)) return;
  bytes_ += plan->size_bytes();
  entries_.push_front({key, std::move(plan)});
  by_key_.emplace(key, entries_.begin());
  while (bytes_ > most_bytes_ && entries_.size() > 1) {
    bytes_ -= entries_.back().plan->size_bytes();
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

}  // namespace ortool

// Plan cache: the least-recently-used list.
#include "libcore/runtime/plan/plan_cache.hpp"

namespace ortool {
namespace {

std::int64_t size_of(const std::string& key, const Plan& plan) {
  return plan.size_bytes() + 2 * static_cast<std::int64_t>(key.size());
}

}  // namespace

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
  bytes_ += size_of(key, *plan);
  entries_.push_front({key, std::move(plan)});
  by_key_.emplace(key, entries_.begin());
  while (bytes_ > max_bytes_ && entries_.size() > 1) {
    bytes_ -= size_of(entries_.back().key, *entries_.back().plan);
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

}  // namespace ortool

// Plan cache: plans by shapes, limited in bytes, with least-recently-used eviction.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "libcore/runtime/plan/plan.hpp"

namespace ortool {

/// Thread-safe.
class PlanCache {
 public:
  explicit PlanCache(std::int64_t max_bytes) : max_bytes_(max_bytes) {}

  /// The plan for `key`, or null.
  std::shared_ptr<const Plan> find(const std::string& key);
  /// Stores `plan`, and evicts the oldest others until the limit is met; one plan always stays.
  void insert(const std::string& key, std::shared_ptr<const Plan> plan);

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const Plan> plan;
  };

  std::mutex mutex_;
  std::int64_t max_bytes_;
  std::int64_t bytes_ = 0;
  std::list<Entry> entries_;  ///< most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
};

}  // namespace ortool

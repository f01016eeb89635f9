// Balance groups: union-find over channel classes that occur in a common value.
#include "libcore/quantize/refine/balance_groups.hpp"

#include <algorithm>
#include <map>

namespace ortool {
namespace {

/// Merges classes that occur in a common value.
class ClassGroups {
 public:
  std::int64_t root(std::int64_t number) {
    auto at = parents_.emplace(number, number).first;
    while (at->second != at->first) at = parents_.find(at->second);
    return at->first;
  }
  void join(std::int64_t one, std::int64_t other) {
    const std::int64_t a = root(one);
    const std::int64_t b = root(other);
    parents_[std::max(a, b)] = std::min(a, b);
  }
  const std::map<std::int64_t, std::int64_t>& parents() const { return parents_; }

 private:
  std::map<std::int64_t, std::int64_t> parents_;
};

}  // namespace

std::vector<BalanceGroup> balance_groups(const QuantizePlan& plan, const ChannelLinks& links) {
  ClassGroups joined;
  for (const PlannedValue& planned : plan.values) {
    std::int64_t first = -1;
    for (const std::int64_t number : links.classes_of(*planned.value)) {
      if (number < 0) continue;
      if (first < 0) first = number;
      joined.join(first, number);
    }
  }
  std::vector<BalanceGroup> groups;
  std::map<std::int64_t, std::size_t> by_root;
  for (const PlannedValue& planned : plan.values) {
    for (const std::int64_t number : links.classes_of(*planned.value)) {
      if (number < 0 || !by_root.emplace(joined.root(number), groups.size()).second) continue;
      groups.emplace_back().name = planned.value->name();
    }
  }
  for (const auto& [number, parent] : joined.parents())
    groups[by_root.at(joined.root(number))].classes.push_back(number);
  return groups;
}

std::vector<ValueRequest> balanced_values(const QuantizePlan& plan, const ChannelLinks& links) {
  std::vector<ValueRequest> requests;
  for (const PlannedValue& planned : plan.values) {
    const std::optional<std::int64_t> axis = links.axis_of(*planned.value);
    if (axis && !planned.is_weight)
      requests.push_back({std::string(source_name(*planned.value)), axis});
  }
  return requests;
}

}  // namespace ortool

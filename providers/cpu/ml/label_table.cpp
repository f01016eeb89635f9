// Label table: keys sorted with their positions, so that the last of equal keys is found first.
#include "providers/cpu/ml/label_table.hpp"

#include <algorithm>

#include "kernels/cpu/types/dispatch_data_type.hpp"

namespace ortool::cpu {
namespace {

/// By key; of equal keys, the later position first.
template <typename Entry>
void sort_entries(std::vector<Entry>& entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
}

template <typename Entry, typename Key>
std::int64_t find_entry(const std::vector<Entry>& entries, const Key& key) {
  const auto found =
      std::lower_bound(entries.begin(), entries.end(), key,
                       [](const Entry& entry, const Key& wanted) { return entry.first < wanted; });
  return found != entries.end() && found->first == key ? found->second : -1;
}

}  // namespace

LabelTable::LabelTable(const Tensor& keys) {
  const std::int64_t count = keys.element_count();
  if (keys.type() == DataType::string) {
    for (std::int64_t i = 0; i < count; ++i)
      strings_.emplace_back(keys.strings()[static_cast<std::size_t>(i)], i);
    sort_entries(strings_);
    return;
  }
  const Tensor aligned = keys.aligned();
  dispatch_data_type(keys.type(), [&](auto number) {
    using T = decltype(number);
    if constexpr (std::is_arithmetic_v<T>) {
      const std::span<const T> values = aligned.data<T>();
      for (std::int64_t i = 0; i < count; ++i)
        numbers_.emplace_back(key_of(values[static_cast<std::size_t>(i)]), i);
    }
  });
  sort_entries(numbers_);
}

std::int64_t LabelTable::find(std::uint64_t key) const {
  return find_entry(numbers_, key);
}

std::int64_t LabelTable::find(std::string_view key) const {
  return find_entry(strings_, key);
}

}  // namespace ortool::cpu

// Label table: finds the positions of labels by binary search.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "libcore/tensor/tensor.hpp"

namespace ortool::cpu {

/// Lookup time is logarithmic in the number of keys.
class LabelTable {
 public:
  /// `keys`: numbers of one type, or strings. Of equal keys the last one counts.
  explicit LabelTable(const Tensor& keys);

  /// A number in the form used for lookups: -0 equals 0, and all NaNs are equal.
  template <typename T>
  static std::uint64_t key_of(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (value != value) return std::bit_cast<std::uint64_t>(nan);
      return std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : static_cast<double>(value));
    } else {
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    }
  }

  /// The position of the key, or -1 if it is missing. The argument has the keys' type.
  std::int64_t find(std::uint64_t key) const;
  std::int64_t find(std::string_view key) const;

 private:
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  std::vector<std::pair<std::uint64_t, std::int64_t>> numbers_;
  std::vector<std::pair<std::string, std::int64_t>> strings_;
};

}  // namespace ortool::cpu

// Keys of labels and the positions where they stand, found by halving a sorted list.
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

/// Finding takes time that grows with the logarithm of the keys, whatever they are.
class LabelTable {
 public:
  /// `keys`: numbers of one type, or strings. Of equal keys the last one counts.
  explicit LabelTable(const Tensor& keys);

  /// A number as it is looked up: -0 is 0, and every NaN the same.
  template <typename T>
  static std::uint64_t key_of(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (value != value) return std::bit_cast<std::uint64_t>(nan);
      return std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : static_cast<double>(value));
    } else {
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    }
  }

  /// The position of the key, -1 when it is not there. What is looked up is of the keys' type.
  std::int64_t find(std::uint64_t key) const;
  std::int64_t find(std::string_view key) const;

 private:
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  std::vector<std::pair<std::uint64_t, std::int64_t>> numbers_;
  std::vector<std::pair<std::string, std::int64_t>> strings_;
};

}  // namespace ortool::cpu

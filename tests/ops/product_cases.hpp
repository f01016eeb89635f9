// Random cases of all product operators: those that multiply matrices or convolve.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/ops/case_file.hpp"

namespace ortool::test {

/// Generates cases of each product operator, without expected outputs.
class ProductCases {
 public:
  explicit ProductCases(std::uint64_t seed) : random_(seed) {}

  /// The number of kinds; `make` takes the kind modulo this number.
  static std::size_t kinds();
  OpCase make(std::size_t kind);

  std::int64_t number(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return number(1, 100) <= percent; }
  std::int64_t one_of(std::vector<std::int64_t> values) {
    return values[static_cast<std::size_t>(
        number(0, static_cast<std::int64_t>(values.size()) - 1))];
  }
  std::int64_t rows();
  std::int64_t columns();
  std::int64_t depth();
  Tensor floats(std::vector<std::int64_t> shape, DataType type = DataType::float32);
  /// Random integers of any integer type.
  Tensor integers(DataType type, std::vector<std::int64_t> shape, std::int64_t low,
                  std::int64_t high);

 private:
  std::mt19937_64 random_;
};

}  // namespace ortool::test

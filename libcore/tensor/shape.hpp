// Shape: the dimensions of a tensor, all known.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace ortool {

/// Dimensions, outermost first. Rank 0 is a scalar; dimensions may be 0. The rank is at most
/// `max_dimensions`.
class Shape {
 public:
  static constexpr std::int64_t max_dimensions = 64;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> dimensions);
  /// Throws ErrorCode::invalid when the rank is too high or a dimension is negative.
  explicit Shape(const std::vector<std::int64_t>& dimensions);

  std::int64_t rank() const { return rank_; }
  std::int64_t operator[](std::int64_t axis) const { return begin()[axis]; }
  std::span<const std::int64_t> dimensions() const {
    return {begin(), static_cast<std::size_t>(rank_)};
  }
  const std::int64_t* begin() const { return rank_ <= most_few ? few_.data() : many_.data(); }
  const std::int64_t* end() const { return begin() + rank_; }

  /// The product of all dimensions (1 for a scalar); throws ErrorCode::invalid above 2^43.
  std::int64_t element_count() const;
  /// The product of the dimensions in [first, last).
  std::int64_t product(std::int64_t first, std::int64_t last) const;

  /// "2x3x224x224"; "scalar" for rank 0.
  std::string to_string() const;

  bool operator==(const Shape& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  static constexpr std::int64_t most_few = 6;

  void take(std::span<const std::int64_t> dimensions);

  std::int64_t rank_ = 0;
  std::array<std::int64_t, most_few> few_ = {};  ///< enough for most shapes without allocation
  std::vector<std::int64_t> many_;
};

/// a * b for nonnegative sizes; throws ErrorCode::invalid above 2^43.
std::int64_t multiply_sizes(std::int64_t a, std::int64_t b);

/// Maps an axis from [-rank, rank) to [0, rank); throws ErrorCode::invalid naming the range
/// otherwise.
std::int64_t normalize_axis(std::int64_t axis, std::int64_t rank);

}  // namespace ortool

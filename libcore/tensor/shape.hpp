// The dimensions of a tensor, all known.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace ortool {

/// Dimensions, outermost first. Rank 0 is a scalar; a dimension may be 0. At most
/// `most_dimensions`.
class Shape {
 public:
  static constexpr std::int64_t most_dimensions = 64;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> dimensions);
  /// Throws ErrorCode::invalid when the rank is too high or a dimension negative.
  explicit Shape(std::vector<std::int64_t> dimensions);

  std::int64_t rank() const { return static_cast<std::int64_t>(dimensions_.size()); }
  std::int64_t operator[](std::int64_t axis) const {
    return dimensions_[static_cast<std::size_t>(axis)];
  }
  std::span<const std::int64_t> dimensions() const { return dimensions_; }
  auto begin() const { return dimensions_.begin(); }
  auto end() const { return dimensions_.end(); }

  /// The product of all dimensions (1 for a scalar); throws ErrorCode::invalid above 2^43.
  std::int64_t element_count() const;
  /// The product of the dimensions in [first, last).
  std::int64_t product(std::int64_t first, std::int64_t last) const;

  /// "2x3x224x224"; "scalar" for rank 0.
  std::string to_string() const;

  bool operator==(const Shape&) const = default;

 private:
  std::vector<std::int64_t> dimensions_;
};

/// a * b for sizes that are not negative; throws ErrorCode::invalid above 2^43.
std::int64_t multiply_sizes(std::int64_t a, std::int64_t b);

/// An axis in [-rank, rank) as [0, rank); throws ErrorCode::invalid naming the range otherwise.
std::int64_t normalize_axis(std::int64_t axis, std::int64_t rank);

}  // namespace ortool

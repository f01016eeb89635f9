// What the numbers of a value are like over many tensors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Grows with each tensor; holds none of them. Tensors of strings and complex numbers count
/// nothing.
class ValueStatistics {
 public:
  void add(const Tensor& tensor);

  DataType type() const { return type_; }
  std::int64_t tensors() const { return tensors_; }
  std::int64_t count() const { return count_; }  ///< elements
  std::int64_t nan_count() const { return nan_count_; }
  std::int64_t infinity_count() const { return infinity_count_; }
  /// Whether there was a finite element; the figures below are of those alone.
  bool has_range() const { return finite_count_ > 0; }
  double min() const { return min_; }
  double max() const { return max_; }
  double mean() const { return mean_; }
  double std() const;  ///< of the whole population
  /// Of all elements, 0 to 1.
  double zero_share() const;
  /// Of all elements of an integer type of up to 16 bits, those at either end of what it holds.
  double end_share() const;

  /// What may go wrong in fewer bits: floats that float16 cannot hold or hardly can, ranges that
  /// outliers stretch so far that int8 has few steps for most elements, small integers that pile up
  /// at the ends of their type. In words, with the figures.
  std::vector<std::string> risks() const;

 private:
  void add_piece(const std::vector<double>& values);

  DataType type_ = DataType::undefined;
  std::int64_t tensors_ = 0;
  std::int64_t count_ = 0;
  std::int64_t finite_count_ = 0;
  std::int64_t nan_count_ = 0;
  std::int64_t infinity_count_ = 0;
  std::int64_t zero_count_ = 0;
  std::int64_t end_count_ = 0;
  double lowest_ = 0;  ///< the ends of an integer type of up to 16 bits; both 0: none
  double highest_ = 0;
  double min_ = 0;
  double max_ = 0;
  double mean_ = 0;
  double squares_ = 0;  ///< sum of squared distances from the mean
};

}  // namespace ortool

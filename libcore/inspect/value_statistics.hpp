// Statistics of a value over many tensors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Accumulates tensors without storing them. Tensors of strings and complex numbers are ignored.
class ValueStatistics {
 public:
  void add(const Tensor& tensor);

  DataType type() const { return type_; }
  std::int64_t tensors() const { return tensors_; }
  std::int64_t count() const { return count_; }  ///< elements
  std::int64_t nan_count() const { return nan_count_; }
  std::int64_t infinity_count() const { return infinity_count_; }
  /// Whether there was a finite element; the figures below are over finite elements only.
  bool has_range() const { return finite_count_ > 0; }
  double min() const { return min_; }
  double max() const { return max_; }
  double mean() const { return mean_; }
  double std() const;  ///< population standard deviation
  /// Fraction of all elements, 0 to 1.
  double zero_share() const;
  /// For integer types of up to 16 bits: the fraction of elements at either end of the type's
  /// range.
  double end_share() const;

  /// Descriptions, with figures, of risks at lower precision: values that overflow float16 or
  /// nearly do, outliers that leave few int8 steps for most elements, and small integers that
  /// saturate at the ends of their type.
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
  double lowest_ = 0;  ///< range of an integer type of up to 16 bits; both 0: none
  double highest_ = 0;
  double min_ = 0;
  double max_ = 0;
  double mean_ = 0;
  double squares_ = 0;  ///< sum of squared deviations from the mean
};

}  // namespace ortool

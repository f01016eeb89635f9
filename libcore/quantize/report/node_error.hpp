// How far a quantised model's values are from the float model's, value by value, over many samples.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/refine/exact_sum.hpp"
#include "libcore/runtime/paired_run.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Sums over pairs of elements that are finite in both. Merged in any order from any split of the
/// samples they are the same, bit for bit.
class ErrorSums {
 public:
  /// `channel_axis`: also sum the differences of each index of it, from the end when negative.
  explicit ErrorSums(std::optional<std::int64_t> channel_axis = std::nullopt)
      : channel_axis_(channel_axis) {}

  /// Adds a tensor of numbers and what it should be. Throws ErrorCode::invalid for other shapes.
  void add(const Tensor& found, const Tensor& expected);
  void merge(const ErrorSums& other);

  std::int64_t count() const { return count_; }
  /// Elements that are not finite in one of the two and not the same in both.
  std::int64_t not_finite() const { return not_finite_; }
  /// 10 log10(sum expected^2 / sum difference^2): infinite when all are equal, 0 at least when
  /// everything became 0.
  double sqnr_db() const;
  /// Of all found elements and all expected ones; 1 when both are all zero, 0 when one is.
  double cosine() const;
  double max_abs_error() const { return max_abs_error_; }
  double mean_square_error() const;
  /// The mean of found - expected.
  double mean_error() const;
  /// The same of each channel; empty unless asked for, and when their number changed.
  std::vector<double> channel_mean_errors() const;

 private:
  void add_channels(const Tensor& found, const Tensor& expected);

  std::optional<std::int64_t> channel_axis_;
  std::int64_t count_ = 0;
  std::int64_t not_finite_ = 0;
  double max_abs_error_ = 0;
  ExactSum found_squares_;
  ExactSum expected_squares_;
  ExactSum products_;
  ExactSum error_squares_;
  ExactSum errors_;
  bool has_mixed_channels_ = false;
  std::vector<ExactSum> channel_errors_;
  std::int64_t channel_count_ = 0;  ///< elements of each channel
};

/// The errors of one value, with the node of the float model that makes it.
struct ValueError {
  std::string value;
  std::string node;
  std::string op_type;
  ErrorSums sums;
};

/// A value to compare, with the axis of its channels where their errors are wanted one by one.
struct ErrorRequest {
  ValuePair names;
  std::optional<std::int64_t> channel_axis;
};

/// Runs a float model and its quantised form sample by sample and sums what their values differ by.
class ErrorCollector {
 public:
  /// The values to compare: in the float model, and in the other.
  explicit ErrorCollector(std::span<const ErrorRequest> requests);

  /// Runs both on the same inputs, as PairedRuns does. Both must compute every node by itself
  /// (OptimizeLevel::none). Values that have other shapes or are no tensors are left out.
  void add(const Session& floating, const Session& quantized, const NamedValues& inputs,
           const RunOptions& options);
  /// Adds what another collector with the same requests summed over other samples.
  void merge(const ErrorCollector& other);

  /// In the order of computation; values that were never compared are left out.
  const std::vector<ValueError>& errors() const { return errors_; }
  /// Null when it was not compared.
  const ValueError* find(std::string_view value) const;

 private:
  ValueError& error_of(std::string_view value);

  std::map<std::string, std::optional<std::int64_t>, std::less<>> channel_axes_;
  PairedRuns runs_;
  std::vector<ValueError> errors_;
};

/// Of values in the order of computation, the first that is much worse than all before it: where
/// the signal-to-noise ratio falls below `bad_db`, or by over `fall_db` from the least so far.
/// Null when none is.
const ValueError* first_bad(std::span<const ValueError> errors, double bad_db = 10,
                            double fall_db = 15);

}  // namespace ortool

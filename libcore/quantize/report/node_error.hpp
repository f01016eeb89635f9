// Per-value quantization error (SQNR, cosine, mean error) over many samples.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/dataset/metrics/metric_state.hpp"
#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/refine/exact_sum.hpp"
#include "libcore/runtime/paired_run.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Sums over pairs of elements that are both finite. Merging in any order, from any split of the
/// samples, gives bit-identical results.
class ErrorSums {
 public:
  /// `channel_axis`: also sums the differences for each index of it; negative counts from the end.
  explicit ErrorSums(std::optional<std::int64_t> channel_axis = std::nullopt)
      : channel_axis_(channel_axis) {}

  /// Adds a numeric tensor and its expected value. Throws ErrorCode::invalid for different shapes.
  void add(const Tensor& found, const Tensor& expected);
  void merge(const ErrorSums& other);

  std::int64_t count() const { return count_; }
  /// Elements that are not finite in one of the two, and differ.
  std::int64_t not_finite() const { return not_finite_; }
  /// 10 log10(sum expected^2 / sum difference^2): infinite when all are equal, at least 0 when all
  /// values found are 0.
  double sqnr_db() const;
  /// The cosine similarity of found and expected elements; 1 when both are all zero, 0 when one is.
  double cosine() const;
  double max_abs_error() const { return max_abs_error_; }
  double mean_square_error() const;
  /// The mean of found - expected.
  double mean_error() const;
  /// The same per channel; empty unless requested, and when the number of channels changed.
  std::vector<double> channel_mean_errors() const;

  /// All sums but those of channels, exactly.
  Json state() const;
  /// The inverse. Throws ErrorCode::invalid for a state that is not as it was written.
  static ErrorSums from_state(const MetricState& state);

 private:
  /// Adds elements from `first` on.
  void add_each(const Tensor& found, const Tensor& expected, std::int64_t first,
                std::int64_t count);
  /// Adds them if all are finite.
  bool add_finite(std::span<const float> found, std::span<const float> expected);
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

/// The errors of one value, with the node of the float model that produces it.
struct ValueError {
  std::string value;
  std::string node;
  std::string op_type;
  ErrorSums sums;
};

/// A value to compare, with the channel axis if per-channel errors are wanted.
struct ErrorRequest {
  ValuePair names;
  std::optional<std::int64_t> channel_axis;
};

/// Runs a float model and its quantized form sample by sample and accumulates their differences.
class ErrorCollector {
 public:
  /// The values to compare, in the float model and in the quantized one.
  explicit ErrorCollector(std::span<const ErrorRequest> requests);

  /// Runs both on the same inputs, as PairedRuns does. Both must run every node separately
  /// (OptimizeLevel::none). Values with different shapes and values that are not tensors are left
  /// out.
  void add(const Session& floating, const Session& quantized, const NamedValues& inputs,
           const RunOptions& options);
  /// Adds the sums of another collector with the same requests over other samples.
  void merge(const ErrorCollector& other);

  /// In topological order; values that were never compared are left out.
  const std::vector<ValueError>& errors() const { return errors_; }
  /// Null when it was not compared.
  const ValueError* find(std::string_view value) const;

 private:
  ValueError& error_of(std::string_view value);

  std::map<std::string, std::optional<std::int64_t>, std::less<>> channel_axes_;
  PairedRuns runs_;
  std::vector<ValueError> errors_;
};

/// Of values in topological order, the first that is much worse than all before it: the SQNR is
/// below `bad_db`, or more than `fall_db` below the minimum so far. Null when there is none.
const ValueError* first_bad(std::span<const ValueError> errors, double bad_db = 10,
                            double fall_db = 15);

}  // namespace ortool

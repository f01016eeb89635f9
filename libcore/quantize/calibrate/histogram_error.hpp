// Expected quantization error (rounding and clipping) of the values counted by a histogram.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "libcore/quantize/calibrate/histogram.hpp"
#include "libcore/quantize/scheme/choose_scale.hpp"

namespace ortool {

/// Sums of squared quantization errors, with values assumed to be uniformly distributed in each
/// bin.
struct QuantizationError {
  double rounding = 0;  ///< of values within the range
  double clipping = 0;  ///< of values outside it

  double total() const { return rounding + clipping; }
};

QuantizationError expected_error(std::span<const Histogram::Bin> bins, Scale scale,
                                 QuantizationType type);

/// Expected errors of many scales for one histogram: sums over its bins are kept, so that a scale
/// costs time by the number of quantized values that it has.
class HistogramMoments {
 public:
  explicit HistogramMoments(std::vector<Histogram::Bin> bins);

  /// Of types of up to 8 bits as expected_error(), but for rounding errors of the last digits; for
  /// others the same.
  QuantizationError error(Scale scale, QuantizationType type) const;

 private:
  /// Over elements below a number: how many, their sum, and that of their squares.
  struct Sums {
    double count = 0;
    double first = 0;
    double second = 0;
  };

  /// `bin`, at most the bin that holds `number`, is advanced to it.
  Sums below(double number, std::size_t& bin) const;

  std::vector<Histogram::Bin> bins_;
  std::vector<Sums> before_;  ///< over the bins before each, and over all
};

/// The number of values outside the range; a bin that straddles an end counts proportionally.
double count_outside(std::span<const Histogram::Bin> bins, ValueRange range);

}  // namespace ortool

// Expected quantization error (rounding and clipping) of the values counted by a histogram.
#pragma once

#include <span>

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

/// The number of values outside the range; a bin that straddles an end counts proportionally.
double count_outside(std::span<const Histogram::Bin> bins, ValueRange range);

}  // namespace ortool

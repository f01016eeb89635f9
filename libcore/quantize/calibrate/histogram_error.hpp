// What quantising costs the numbers that a histogram counted.
#pragma once

#include <span>

#include "libcore/quantize/calibrate/histogram.hpp"
#include "libcore/quantize/scheme/choose_scale.hpp"

namespace ortool {

/// Sums of squared differences between numbers and what they become, numbers taken to be spread
/// evenly over their bin.
struct QuantizationError {
  double rounding = 0;  ///< of numbers within the range
  double clipping = 0;  ///< of numbers beyond it

  double total() const { return rounding + clipping; }
};

QuantizationError expected_error(std::span<const Histogram::Bin> bins, Scale scale,
                                 QuantizationType type);

/// How many of the numbers lie outside the range; of a bin that an end cuts, the share by length.
double count_outside(std::span<const Histogram::Bin> bins, NumberRange range);

}  // namespace ortool

// Calibration by moving average: exponential averages of each sample's minimum and maximum.
#include "libcore/quantize/calibrate/methods.hpp"

namespace ortool {

ValueRange moving_average_range(const ValueRecord& record, QuantizationType, const MethodOptions&) {
  return *record.moving_average();
}

}  // namespace ortool

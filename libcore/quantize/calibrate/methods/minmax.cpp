// Calibration by minmax: from the smallest to the largest element.
#include "libcore/quantize/calibrate/methods.hpp"

namespace ortool {

ValueRange minmax_range(const ValueRecord& record, QuantizationType, const MethodOptions&) {
  return {static_cast<double>(record.min()), static_cast<double>(record.max())};
}

}  // namespace ortool

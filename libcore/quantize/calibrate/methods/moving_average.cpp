// Least and greatest elements, each averaged over the samples with more weight for later ones.
#include "libcore/quantize/calibrate/methods.hpp"

namespace ortool {

NumberRange moving_average_range(const ValueRecord& record, QuantizationType,
                                 const MethodOptions&) {
  return *record.moving_average();
}

}  // namespace ortool

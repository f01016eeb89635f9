// Reads the order p of a norm, by the attribute's kind in each version.
#include "libcore/ops/nn/normalization/norm_order.hpp"

#include <cmath>

#include "libcore/base/format.hpp"

namespace ortool {

double read_norm_order(AttributeReader& attributes, int version) {
  const double p = version == 1 ? static_cast<double>(attributes.number("p", 2.0F))
                                : static_cast<double>(attributes.integer("p", 2));
  if (!std::isfinite(p) || p < 1) {
    throw Error(ErrorCode::invalid, format("p is {} (expected at least 1)", p));
  }
  return p;
}

}  // namespace ortool

// Weight refinement cache: one entry per product, the most recent request.
#include "libcore/quantize/refine/cached_refiner.hpp"

#include <algorithm>

namespace ortool {
namespace {

bool has_same_bytes(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && a.shape() == b.shape() &&
         std::equal(a.bytes(), a.bytes() + a.size_bytes(), b.bytes());
}

}  // namespace

QuantizedData CachedRefiner::round(const PlannedNode& planned, QuantizedData nearest) const {
  Rounded& known = rounded_[std::string(planned.node->output(0)->name())];
  const bool is_known = known.codes.data.element_count() > 0 &&
                        has_same_bytes(known.nearest, nearest.data) &&
                        has_same_bytes(known.scales, nearest.scales);
  if (is_known) return known.codes;
  known.nearest = nearest.data;
  known.scales = nearest.scales;
  known.codes = refiner_.round(planned, std::move(nearest));
  return known.codes;
}

}  // namespace ortool

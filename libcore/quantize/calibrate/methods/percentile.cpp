// Calibration by percentile: clips the same small fraction of elements at either end.
#include <algorithm>
#include <cmath>
#include <vector>

#include "libcore/quantize/calibrate/methods.hpp"

namespace ortool {
namespace {

/// The outer edge of the bin at which the count from the end exceeds `max_left_out`.
template <typename Iterator, typename Edge>
double end_behind(Iterator first, Iterator last, double max_left_out, Edge edge) {
  double passed = 0;
  for (auto bin = first; bin != last; ++bin) {
    passed += static_cast<double>(bin->count);
    if (passed > max_left_out) return edge(*bin);
  }
  return 0;
}

}  // namespace

ValueRange percentile_range(const ValueRecord& record, QuantizationType,
                            const MethodOptions& options) {
  const std::vector<Histogram::Bin> bins = record.bins();
  const double outside = std::clamp(1 - options.percentile / 100, 0.0, 1.0);
  // A tolerance for rounding errors just below an integer.
  const double max_left_out =
      std::floor(outside / 2 * static_cast<double>(record.finite_count()) + 1e-6);
  const double low = end_behind(bins.begin(), bins.end(), max_left_out,
                                [](const Histogram::Bin& bin) { return bin.low; });
  const double high = end_behind(bins.rbegin(), bins.rend(), max_left_out,
                                 [](const Histogram::Bin& bin) { return bin.high; });
  return {std::max(low, static_cast<double>(record.min())),
          std::min(high, static_cast<double>(record.max()))};
}

}  // namespace ortool

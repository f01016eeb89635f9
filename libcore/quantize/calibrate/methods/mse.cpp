// Calibration by MSE: the range with the least mean squared quantization error.
#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/quantize/calibrate/histogram_error.hpp"
#include "libcore/quantize/calibrate/methods.hpp"

namespace ortool {
namespace {

/// A coarse-to-fine search over magnitudes: five octaves down in steps of 1/16, then in steps of
/// 1/128 around the best.
class Search {
 public:
  Search(const HistogramMoments& moments, QuantizationType type) : moments_(moments), type_(type) {}

  /// The share of `range(1)` with the least error; `range` maps a share to a range.
  template <typename MakeRange>
  double best_share(MakeRange range) const {
    double best = 0;
    double least = std::numeric_limits<double>::infinity();
    // Whether narrower ranges may be better: what is clipped grows.
    const auto try_octaves = [&](double down) {
      const QuantizationError error = error_of(range(std::exp2(-down)));
      if (error.total() < least) {
        least = error.total();
        best = down;
      }
      return error.clipping <= 2 * least;
    };
    constexpr double coarse = 1.0 / 16;
    constexpr double fine = 1.0 / 128;
    for (int i = 0; i <= 5 * 16 && try_octaves(i * coarse); ++i) continue;
    const double center = best;
    for (int i = -7; i <= 7; ++i) {
      if (i != 0 && center + i * fine >= 0) try_octaves(center + i * fine);
    }
    return std::exp2(-best);
  }

  QuantizationError error_of(ValueRange range) const {
    return moments_.error(choose_scale(range, type_), type_);
  }

 private:
  const HistogramMoments& moments_;
  QuantizationType type_;
};

}  // namespace

ValueRange mse_range(const ValueRecord& record, QuantizationType type, const MethodOptions&) {
  const HistogramMoments moments(record.bins());
  const Search search(moments, type);
  const ValueRange whole{std::min(static_cast<double>(record.min()), 0.0),
                         std::max(static_cast<double>(record.max()), 0.0)};
  const double reach = std::max(-whole.low, whole.high);
  const auto within = [&whole](double magnitude) {
    return ValueRange{std::max(whole.low, -magnitude), std::min(whole.high, magnitude)};
  };
  ValueRange best =
      within(reach * search.best_share([&](double share) { return within(reach * share); }));
  if (type.is_symmetric || best.low == 0 || best.high == 0) return best;
  // Optimizes each end with the other fixed, until neither changes.
  for (int round = 0; round < 3; ++round) {
    const ValueRange before = best;
    best.high = whole.high * search.best_share([&](double share) {
      return ValueRange{best.low, whole.high * share};
    });
    best.low = whole.low * search.best_share([&](double share) {
      return ValueRange{whole.low * share, best.high};
    });
    if (best == before) break;
  }
  return best;
}

}  // namespace ortool

// Calibration by entropy: the range with the least KL divergence of quantized magnitudes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "libcore/quantize/calibrate/methods.hpp"

namespace ortool {
namespace {

/// Magnitudes in bins of equal width; zeros are excluded, since every range represents them
/// exactly.
class Magnitudes {
 public:
  static constexpr std::int64_t bin_count = 2048;

  explicit Magnitudes(const ValueRecord& record)
      : reach_(std::max(std::abs(static_cast<double>(record.min())),
                        std::abs(static_cast<double>(record.max())))),
        counts_(static_cast<std::size_t>(bin_count)) {
    for (const auto& [low, high, count] : record.bins()) {
      if (low == 0 && high == 0) continue;
      spread(std::min(std::abs(low), std::abs(high)), std::max(std::abs(low), std::abs(high)),
             static_cast<double>(count));
    }
  }

  double width() const { return reach_ / static_cast<double>(bin_count); }
  const std::vector<double>& counts() const { return counts_; }

 private:
  /// Distributes `count` uniformly over the bins between the two; nothing beyond the reach.
  void spread(double low, double high, double count) {
    high = std::min(high, reach_);
    low = std::min(low, high);
    const double from = low / width();
    const double to = high / width();
    const auto first = std::min(static_cast<std::int64_t>(from), bin_count - 1);
    const auto last = std::min(static_cast<std::int64_t>(to), bin_count - 1);
    if (first == last || to <= from) {
      counts_[static_cast<std::size_t>(first)] += count;
      return;
    }
    for (std::int64_t i = first; i <= last; ++i) {
      const double begin = std::max(from, static_cast<double>(i));
      const double end = std::min(to, static_cast<double>(i + 1));
      counts_[static_cast<std::size_t>(i)] += count * std::max(end - begin, 0.0) / (to - from);
    }
  }

  double reach_;
  std::vector<double> counts_;
};

/// x log(x), which is 0 at 0.
double entropy_of(double count) {
  return count > 0 ? count * std::log(count) : 0;
}

/// Divergences of one distribution for many ranges, from sums over the bins before each.
class Divergence {
 public:
  explicit Divergence(const std::vector<double>& counts) : counts_(counts), before_(1) {
    for (const double count : counts) {
      const Sums& last = before_.back();
      before_.push_back({last.count + count, last.entropy + entropy_of(count),
                         last.filled + (count > 0 ? 1 : 0)});
    }
  }

  /// The Kullback-Leibler divergence between the distribution of magnitudes clipped to the first
  /// `kept` bins, with everything beyond added to the last one, and those bins quantized to `codes`
  /// values (S. Migacz, "8-bit Inference with TensorRT", 2017).
  double of(std::int64_t kept, std::int64_t codes) const {
    const Sums& inside = at(kept);
    if (inside.count <= 0) return std::numeric_limits<double>::infinity();
    const double behind = before_.back().count - inside.count;
    const double last = counts_[static_cast<std::size_t>(kept - 1)];
    double sum = inside.entropy - entropy_of(last) + entropy_of(last + behind);
    for (std::int64_t code = 0; code < codes; ++code) {
      const Sums& begin = at(kept * code / codes);
      const Sums& end = at(kept * (code + 1) / codes);
      const double total = end.count - begin.count;
      if (end.filled == begin.filled) continue;
      const double found = std::log(total / (end.filled - begin.filled));
      // A last bin that is empty in the quantized distribution weighs like one element, whose
      // logarithm is 0.
      const bool holds_rest = code == codes - 1 && last > 0;
      sum -= (total + (holds_rest ? behind : 0)) * found;
    }
    const double all = inside.count + behind;
    return sum / all + std::log(inside.count / all);
  }

 private:
  /// Over the bins before one.
  struct Sums {
    double count = 0;
    double entropy = 0;  ///< of entropy_of()
    double filled = 0;   ///< number of bins that are not empty
  };

  const Sums& at(std::int64_t bin) const { return before_[static_cast<std::size_t>(bin)]; }

  const std::vector<double>& counts_;
  std::vector<Sums> before_;
};

}  // namespace

ValueRange entropy_range(const ValueRecord& record, QuantizationType type, const MethodOptions&) {
  const ValueRange whole{static_cast<double>(record.min()), static_cast<double>(record.max())};
  const CodeRange codes = code_range_of(type);
  const bool is_one_sided = !type.is_symmetric && (whole.low >= 0 || whole.high <= 0);
  const std::int64_t each_side = (codes.highest - codes.lowest) / (is_one_sided ? 1 : 2);
  if (whole.low == whole.high || each_side >= Magnitudes::bin_count) return whole;
  const Magnitudes magnitudes(record);
  const Divergence divergence(magnitudes.counts());
  double least = std::numeric_limits<double>::infinity();
  std::int64_t best = Magnitudes::bin_count;
  const std::int64_t step = std::max<std::int64_t>(each_side / 16, 1);
  for (std::int64_t kept = Magnitudes::bin_count; kept >= each_side; kept -= step) {
    const double found = divergence.of(kept, each_side);
    if (found >= least) continue;
    least = found;
    best = kept;
  }
  const double reach = static_cast<double>(best) * magnitudes.width();
  return {std::max(whole.low, -reach), std::min(whole.high, reach)};
}

}  // namespace ortool

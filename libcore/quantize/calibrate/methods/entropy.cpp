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

/// The Kullback-Leibler divergence between the distribution of magnitudes clipped to the first
/// `kept` bins, with everything beyond added to the last one, and those bins quantized to `levels`
/// values (S. Migacz, "8-bit Inference with TensorRT", 2017).
double divergence(const std::vector<double>& counts, std::int64_t kept, std::int64_t codes,
                  double behind) {
  double true_total = behind;
  double quantized_total = 0;
  for (std::int64_t i = 0; i < kept; ++i) true_total += counts[static_cast<std::size_t>(i)];
  quantized_total = true_total - behind;
  if (quantized_total <= 0) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::int64_t code = 0; code < codes; ++code) {
    const std::int64_t first = kept * code / codes;
    const std::int64_t last = kept * (code + 1) / codes;
    double total = 0;
    std::int64_t filled = 0;
    for (std::int64_t i = first; i < last; ++i) {
      total += counts[static_cast<std::size_t>(i)];
      filled += counts[static_cast<std::size_t>(i)] > 0 ? 1 : 0;
    }
    for (std::int64_t i = first; i < last; ++i) {
      const double here = counts[static_cast<std::size_t>(i)];
      const double truth = (here + (i == kept - 1 ? behind : 0)) / true_total;
      if (truth == 0) continue;
      // Bins that are empty in the quantized distribution weigh like one element.
      const double found = here > 0 ? total / static_cast<double>(filled) : 1;
      sum += truth * std::log(truth / (found / quantized_total));
    }
  }
  return sum;
}

}  // namespace

ValueRange entropy_range(const ValueRecord& record, QuantizationType type, const MethodOptions&) {
  const ValueRange whole{static_cast<double>(record.min()), static_cast<double>(record.max())};
  const CodeRange codes = code_range_of(type);
  const bool is_one_sided = !type.is_symmetric && (whole.low >= 0 || whole.high <= 0);
  const std::int64_t each_side = (codes.highest - codes.lowest) / (is_one_sided ? 1 : 2);
  if (whole.low == whole.high || each_side >= Magnitudes::bin_count) return whole;
  const Magnitudes magnitudes(record);
  double behind = 0;
  double least = std::numeric_limits<double>::infinity();
  std::int64_t best = Magnitudes::bin_count;
  const std::int64_t step = std::max<std::int64_t>(each_side / 16, 1);
  std::int64_t counted = Magnitudes::bin_count;
  for (std::int64_t kept = Magnitudes::bin_count; kept >= each_side; kept -= step) {
    while (counted > kept) behind += magnitudes.counts()[static_cast<std::size_t>(--counted)];
    const double found = divergence(magnitudes.counts(), kept, each_side, behind);
    if (found >= least) continue;
    least = found;
    best = kept;
  }
  const double reach = static_cast<double>(best) * magnitudes.width();
  return {std::max(whole.low, -reach), std::min(whole.high, reach)};
}

}  // namespace ortool

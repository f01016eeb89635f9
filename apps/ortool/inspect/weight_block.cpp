// Histograms over evenly spaced blocks of elements, so that their cost is bounded.
#include "apps/ortool/inspect/weight_block.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/file/file.hpp"
#include "libcore/inspect/weights.hpp"
#include "libcore/tensor/compare.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::int64_t shown_values = 16;
constexpr std::size_t most_with_values = 10000;
constexpr std::size_t most_with_histogram = 2000;
constexpr std::size_t bin_count = 32;
constexpr std::int64_t block_size = 1024;
constexpr std::int64_t most_blocks = 1024;
constexpr std::size_t longest_text = 60;

struct Histogram {
  double low;
  double high;
  std::array<std::int64_t, bin_count> counts{};
  std::int64_t sampled = 0;
};

/// Calls `use(values)` for all blocks of the tensor, or for most_blocks evenly spaced ones.
template <typename Use>
void for_sample(const Tensor& tensor, const Use& use) {
  const std::int64_t count = tensor.element_count();
  const std::int64_t blocks = (count + block_size - 1) / block_size;
  const std::int64_t used = std::min(blocks, most_blocks);
  std::array<double, block_size> values{};
  for (std::int64_t i = 0; i < used; ++i) {
    const std::int64_t first = (used < blocks ? i * (blocks / used) : i) * block_size;
    const std::int64_t length = std::min(block_size, count - first);
    const std::span<double> block = std::span(values).first(static_cast<std::size_t>(length));
    read_doubles(tensor, first, block);
    use(std::span<const double>(block));
  }
}

/// Nothing if the finite elements are all equal.
std::optional<Histogram> histogram_of(const Tensor& tensor, double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high)) {
    low = std::numeric_limits<double>::infinity();
    high = -low;
    for_sample(tensor, [&](std::span<const double> block) {
      for (const double value : block) {
        if (!std::isfinite(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
      }
    });
  }
  if (!(low < high) || !std::isfinite(high - low)) return std::nullopt;
  Histogram histogram{low, high};
  const double scale = static_cast<double>(bin_count) / (high - low);
  for_sample(tensor, [&](std::span<const double> block) {
    histogram.sampled += static_cast<std::int64_t>(block.size());
    for (const double value : block) {
      if (!(value >= low && value <= high)) continue;
      const auto bin = static_cast<std::size_t>((value - low) * scale);
      ++histogram.counts[std::min(bin, bin_count - 1)];
    }
  });
  return histogram;
}

Json first_values(const Tensor& tensor) {
  const auto count = static_cast<std::size_t>(std::min(tensor.element_count(), shown_values));
  Json list = Json::list();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = element_text(tensor, static_cast<std::int64_t>(i));
    list.add(text.size() > longest_text ? text.substr(0, longest_text) + "..." : text);
  }
  return list;
}

/// The number of elements from which on a tensor is among the `most` largest.
std::int64_t least_count(const std::vector<Weight>& weights, std::size_t most) {
  if (weights.size() <= most) return 0;
  std::vector<std::int64_t> counts;
  counts.reserve(weights.size());
  for (const Weight& weight : weights) counts.push_back(weight.shape.element_count());
  const auto at = counts.begin() + static_cast<std::ptrdiff_t>(most) - 1;
  std::nth_element(counts.begin(), at, counts.end(), std::greater<>());
  return *at;
}

void add_numbers(const Tensor& tensor, bool has_histogram, Json& block) {
  const Statistics statistics = statistics_of(tensor);
  block.set("min", statistics.min)
      .set("max", statistics.max)
      .set("mean", statistics.mean)
      .set("std", statistics.std);
  if (statistics.nan_count > 0) block.set("nan", statistics.nan_count);
  if (statistics.inf_count > 0) block.set("inf", statistics.inf_count);
  if (!has_histogram) return;
  const auto histogram = histogram_of(tensor, statistics.min, statistics.max);
  if (!histogram) return;
  Json counts = Json::list();
  for (const std::int64_t count : histogram->counts) counts.add(count);
  block.set("histogram", std::move(counts));
  if (statistics.inf_count > 0) block.set("low", histogram->low).set("high", histogram->high);
  if (histogram->sampled < statistics.count) block.set("sampled", histogram->sampled);
}

}  // namespace

Json weight_blocks(const Model& model, bool reads_weights) {
  if (!reads_weights) return Json::list();
  return Json::streamed_list([&model](FunctionRef<void(const Json&)> emit) {
    const std::vector<Weight> weights = weights_of(model);
    const std::int64_t least_with_values = least_count(weights, most_with_values);
    const std::int64_t least_with_histogram = least_count(weights, most_with_histogram);
    std::size_t values = 0;
    std::size_t histograms = 0;
    for (const Weight& weight : weights) {
      const std::int64_t count = weight.shape.element_count();
      Json block = Json::object().set("name", weight.name);
      // Ties at the limit are cut off in the order of the file.
      if (count >= least_with_values && values++ < most_with_values) {
        block.set("first", first_values(*weight.tensor));
      }
      if (is_arithmetic(weight.type) && count > 1) {
        const bool has_histogram =
            count >= least_with_histogram && histograms++ < most_with_histogram;
        add_numbers(*weight.tensor, has_histogram, block);
        drop_pages({weight.tensor->bytes(), static_cast<std::size_t>(weight.size_bytes())});
      }
      emit(block);
    }
  });
}

}  // namespace ortool

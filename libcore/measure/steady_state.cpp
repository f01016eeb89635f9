// Steady-state detection by medians of both ends, a robust variant of Geweke's diagnostic.
#include "libcore/measure/steady_state.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/measure/sample_blocks.hpp"

namespace ortool {
namespace {

struct Middle {
  double median = 0;
  double standard_error = 0;
};

Middle middle_of(std::span<const double> samples) {
  Middle middle;
  middle.median = median_of({samples.begin(), samples.end()});
  std::vector<double> distances;
  for (const double sample : samples) distances.push_back(std::abs(sample - middle.median));
  // 1.4826 scales the deviation to a normal distribution's sigma, 1.2533 a mean's error to a
  // median's.
  middle.standard_error = 1.4826 * 1.2533 * median_of(std::move(distances)) /
                          std::sqrt(static_cast<double>(samples.size()));
  return middle;
}

bool ends_agree(std::span<const double> samples, double tolerance) {
  const Middle early = middle_of(samples.first(std::max<std::size_t>(1, samples.size() / 3)));
  const Middle late = middle_of(samples.last(std::max<std::size_t>(1, samples.size() / 2)));
  const double chance = 3 * std::hypot(early.standard_error, late.standard_error);
  return std::abs(early.median - late.median) <= std::max(chance, tolerance * late.median);
}

}  // namespace

SteadyState find_steady_state(std::span<const double> samples, double tolerance,
                              std::size_t least) {
  SteadyState state;
  if (samples.size() < std::max<std::size_t>(least, 4)) return state;
  const std::size_t step = std::max<std::size_t>(1, samples.size() / 16);
  for (std::size_t cut = 0; cut <= samples.size() / 2; cut += step) {
    if (!ends_agree(samples.subspan(cut), tolerance)) continue;
    state.warmup = cut;
    state.is_steady = true;
    return state;
  }
  state.warmup = samples.size() / 2;
  return state;
}

double drift_of(std::span<const double> samples) {
  if (samples.size() < 2) return 0;
  const std::size_t half = samples.size() / 2;
  const double early =
      median_of({samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(half)});
  const double late = median_of({samples.end() - static_cast<std::ptrdiff_t>(half), samples.end()});
  return early > 0 ? late / early - 1 : 0;
}

}  // namespace ortool

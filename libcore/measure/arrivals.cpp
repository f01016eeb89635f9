// Request arrivals: exponential gaps by inversion. Rate search: bracketing, then bisection.
#include "libcore/measure/arrivals.hpp"

#include <cmath>

#include "libcore/base/random_bits.hpp"

namespace ortool {

std::vector<double> poisson_arrivals(double rate_per_s, std::size_t count, std::uint64_t seed) {
  RandomBits random(seed);
  std::vector<double> times(count);
  double now = 0;
  for (double& time : times) {
    now -= std::log(random.unit()) / rate_per_s;
    time = now;
  }
  return times;
}

std::vector<double> constant_arrivals(double rate_per_s, std::size_t count) {
  std::vector<double> times(count);
  for (std::size_t i = 0; i < count; ++i) times[i] = static_cast<double>(i) / rate_per_s;
  return times;
}

void RateSearch::tell(bool has_passed) {
  (has_passed ? passed_ : failed_) = next_;
  ++tries_;
  if (failed_ == 0) {
    next_ = passed_ * 2;
  } else if (passed_ == 0) {
    next_ = failed_ / 2;
  } else {
    next_ = (passed_ + failed_) / 2;
    is_done_ = failed_ - passed_ <= tolerance_ * failed_;
  }
  is_done_ = is_done_ || tries_ >= max_tries;
}

}  // namespace ortool

// Request arrivals of a load test, and the search for the highest rate within a latency bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ortool {

/// The arrival times of `count` requests of a Poisson process, in seconds from its start: the gaps
/// are exponential with mean 1 / rate. Ascending; deterministic for a seed.
std::vector<double> poisson_arrivals(double rate_per_s, std::size_t count, std::uint64_t seed);
/// The same at equal intervals, the first immediately.
std::vector<double> constant_arrivals(double rate_per_s, std::size_t count);

/// Searches the highest rate that passes a test: doubles from `start` until one fails, then bisects
/// until the gap is below `tolerance` of the rate. If the first rate fails, halves instead.
class RateSearch {
 public:
  explicit RateSearch(double start, double tolerance = 0.05)
      : next_(start), tolerance_(tolerance) {}

  bool is_done() const { return is_done_; }
  /// The rate to try.
  double next() const { return next_; }
  /// Reports whether next() passed.
  void tell(bool has_passed);
  /// The highest rate that passed; 0 when none did.
  double best() const { return passed_; }

 private:
  static constexpr int max_tries = 40;

  double next_;
  double tolerance_;
  double passed_ = 0;
  double failed_ = 0;  ///< 0: none failed so far
  int tries_ = 0;
  bool is_done_ = false;
};

}  // namespace ortool

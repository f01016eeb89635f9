// Requests that arrive as they like, and the most of them that keep a latency bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ortool {

/// When `count` requests of a Poisson process arrive, in seconds from its start: the gaps are
/// exponential with mean 1 / rate. Ascending; the same for the same seed.
std::vector<double> poisson_arrivals(double rate_per_s, std::size_t count, std::uint64_t seed);
/// The same at equal distances, the first at once.
std::vector<double> constant_arrivals(double rate_per_s, std::size_t count);

/// Searches the highest rate that passes a test: doubles from `start` until one fails, then halves
/// the gap until it is below `tolerance` of the rate. Rates that fail at once are halved instead.
class RateSearch {
 public:
  explicit RateSearch(double start, double tolerance = 0.05)
      : next_(start), tolerance_(tolerance) {}

  bool is_done() const { return is_done_; }
  /// The rate to try.
  double next() const { return next_; }
  /// Whether next() passed.
  void tell(bool has_passed);
  /// The highest rate that passed; 0 when none did.
  double best() const { return passed_; }

 private:
  static constexpr int most_tries = 40;

  double next_;
  double tolerance_;
  double passed_ = 0;
  double failed_ = 0;  ///< 0: none failed so far
  int tries_ = 0;
  bool is_done_ = false;
};

}  // namespace ortool

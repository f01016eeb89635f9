// Histogram with fixed, data-independent bins, so that counting is order-independent and exact.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ortool {

class ByteReader;
class ByteWriter;

/// A bin holds the values of one sign with the same exponent and the same upper eight fraction
/// bits, so every octave is divided into 256 bins of equal width. Bins cover the octave of the
/// largest magnitude so far and the 15 below; smaller nonzero values share one count. A larger
/// value only shifts the octaves, so the counts depend on the data but not on their order, and
/// histograms add up exactly.
class Histogram {
 public:
  static constexpr int bins_an_octave = 256;
  static constexpr int octaves = 16;

  struct Bin {
    double low = 0;
    double high = 0;
    std::int64_t count = 0;
  };

  /// Counts the finite values.
  void add(std::span<const float> numbers);
  void merge(const Histogram& other);

  std::int64_t count() const;
  std::int64_t zeros() const { return zeros_; }
  /// The nonempty bins in ascending order. Zero has a bin of its own, [0, 0]; values too small for
  /// a bin are counted in one next to it, [-s, 0] or [0, s].
  std::vector<Bin> bins() const;

  void write(ByteWriter& out) const;
  static Histogram read(ByteReader& in);

 private:
  void raise_to(int octave);
  void add_each(std::span<const float> numbers);
  /// `most`: the bits of the largest magnitude.
  void add_finite(std::span<const float> numbers, std::uint32_t most);
  int first_code() const;

  int octave_ = -1;  ///< exponent bits of the largest magnitude; -1: only zeros so far
  std::int64_t zeros_ = 0;
  std::int64_t small_positive_ = 0;
  std::int64_t small_negative_ = 0;
  std::vector<std::int64_t> positive_;  ///< empty until the first positive value
  std::vector<std::int64_t> negative_;
};

}  // namespace ortool

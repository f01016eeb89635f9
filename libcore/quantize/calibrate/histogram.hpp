// Counts of numbers in bins that are fixed beforehand, so that any way of counting gives the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ortool {

class ByteReader;
class ByteWriter;

/// A bin is the numbers of one sign whose exponent and highest eight bits of fraction are the same:
/// every octave has 256 of equal width. Bins are kept for the octave of the greatest magnitude so
/// far and the 15 below; what is smaller, and not zero, is counted together. A greater number only
/// moves octaves there, so the counts depend on the numbers alone, not on their order, and
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

  /// Counts those that are finite.
  void add(std::span<const float> numbers);
  void merge(const Histogram& other);

  std::int64_t count() const;
  std::int64_t zeros() const { return zeros_; }
  /// The bins that hold something, rising. Zero is one of its own, [0, 0]; what is too small for a
  /// bin lies in one beside it, [-s, 0] or [0, s].
  std::vector<Bin> bins() const;

  void write(ByteWriter& out) const;
  static Histogram read(ByteReader& in);

 private:
  void raise_to(int octave);
  int first_code() const;

  int octave_ = -1;  ///< the exponent's bits of the greatest magnitude; -1: nothing but zeros yet
  std::int64_t zeros_ = 0;
  std::int64_t small_positive_ = 0;
  std::int64_t small_negative_ = 0;
  std::vector<std::int64_t> positive_;  ///< empty until one comes
  std::vector<std::int64_t> negative_;
};

}  // namespace ortool

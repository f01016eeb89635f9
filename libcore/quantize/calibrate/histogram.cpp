// Histogram bins: a bin's code is the upper 16 bits of a float32 magnitude.
#include "libcore/quantize/calibrate/histogram.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <numeric>

#include "libcore/base/float_lanes.hpp"
#include "libcore/quantize/calibrate/byte_stream.hpp"

namespace ortool {
namespace {

/// Limits counts so that no sum over bins overflows.
constexpr std::int64_t max_count = std::int64_t{1} << 48;
constexpr std::uint32_t sign_bit = 0x80000000U;
constexpr std::uint32_t infinity_bits = 0x7f800000U;
constexpr int code_shift = 15;  // below the exponent and eight fraction bits
constexpr std::size_t code_count =
    static_cast<std::size_t>(Histogram::octaves) * Histogram::bins_an_octave;

double edge_of(int code) {
  const std::uint32_t bits = static_cast<std::uint32_t>(code) << code_shift;
  // The upper edge of the last finite bin is 2^128.
  if (bits == infinity_bits) return 0x1p128;
  return static_cast<double>(std::bit_cast<float>(bits));
}

/// Shifts the bins down by `by` places; returns the count that falls out at the low end.
std::int64_t shift_down(std::vector<std::int64_t>& counts, std::size_t by) {
  if (counts.empty()) return 0;
  by = std::min(by, counts.size());
  const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(by);
  const std::int64_t out = std::accumulate(counts.begin(), middle, std::int64_t{0});
  std::copy(middle, counts.end(), counts.begin());
  std::fill(counts.end() - static_cast<std::ptrdiff_t>(by), counts.end(), 0);
  return out;
}

void add_counts(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from) {
  if (from.empty()) return;
  if (to.empty()) to.resize(code_count);
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

/// Allocates `to` for the first count that is not 0.
void add_counted(std::vector<std::int64_t>& to, std::span<const std::int64_t> from) {
  const bool has_any =
      std::any_of(from.begin(), from.end(), [](std::int64_t count) { return count != 0; });
  if (!has_any) return;
  if (to.empty()) to.resize(code_count);
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

/// Numbers are counted in pieces of this size, small enough for the second-level cache. Below the
/// minimum, clearing a tally would take longer.
constexpr std::size_t tallied = std::size_t{1} << 16;
constexpr std::size_t min_tallied = 2048;
/// The entries for one sign: what is too small for a bin, then the bins.
constexpr std::size_t tally_side = code_count + 1;

/// The bits of the largest magnitude, NaN and infinity included.
std::uint32_t largest_magnitude(std::span<const float> numbers) {
  IntLanes most = {};
  std::size_t i = 0;
  for (; i + float_lanes <= numbers.size(); i += float_lanes) {
    const IntLanes magnitude = load_lanes<IntLanes>(&numbers[i]) & 0x7fffffff;
    most = magnitude > most ? magnitude : most;
  }
  std::uint32_t found = 0;
  for (std::size_t lane = 0; lane < float_lanes; ++lane)
    found = std::max(found, static_cast<std::uint32_t>(most[lane]));
  for (; i < numbers.size(); ++i)
    found = std::max(found, std::bit_cast<std::uint32_t>(numbers[i]) & ~sign_bit);
  return found;
}

/// Counts of one piece, without branches. Neighbors go to different tables, since equal numbers in
/// a row would wait for each other.
class Tally {
 public:
  void add(std::span<const float> numbers, int first_code) {
    std::array<std::int32_t, block> places;
    for (std::size_t done = 0; done < numbers.size(); done += block) {
      const std::size_t count = std::min(block, numbers.size() - done);
      if (count < block) {
        std::array<float, block> padded = {};
        std::copy_n(&numbers[done], count, padded.begin());
        place(padded.data(), first_code, places);
        positive_zeros_ -= static_cast<std::int64_t>(block - count);
        even_[0] -= static_cast<std::uint32_t>(block - count);
      } else {
        place(&numbers[done], first_code, places);
      }
      for (std::size_t i = 0; i < block; i += 2) {
        ++even_[static_cast<std::size_t>(places[i])];
        ++odd_[static_cast<std::size_t>(places[i + 1])];
      }
    }
  }

  std::vector<std::int64_t> counts() const {
    std::vector<std::int64_t> sums(even_.size());
    // Differences of unsigned counts wrap around, and so do their sums.
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = std::int64_t{even_[i] + odd_[i]};
    return sums;
  }
  std::int64_t positive_zeros() const { return positive_zeros_; }
  std::int64_t negative_zeros() const { return negative_zeros_; }

 private:
  static constexpr std::size_t block = 1024;

  /// The entry of each number, and how many are 0 and -0.
  void place(const float* numbers, int first_code, std::array<std::int32_t, block>& places) {
    IntLanes positive = {};
    IntLanes negative = {};
    for (std::size_t i = 0; i < block; i += float_lanes) {
      const IntLanes bits = load_lanes<IntLanes>(numbers + i);
      positive += bits == 0;
      negative += bits == std::numeric_limits<std::int32_t>::min();
      const IntLanes code = ((bits & 0x7fffffff) >> code_shift) - (first_code - 1);
      const IntLanes side = (bits >> 31) & static_cast<std::int32_t>(tally_side);
      store_lanes(&places[i], ((code > 0) & code) + side);
    }
    for (std::size_t lane = 0; lane < float_lanes; ++lane) {
      positive_zeros_ -= positive[lane];
      negative_zeros_ -= negative[lane];
    }
  }

  std::array<std::uint32_t, 2 * tally_side> even_ = {};
  std::array<std::uint32_t, 2 * tally_side> odd_ = {};
  std::int64_t positive_zeros_ = 0;
  std::int64_t negative_zeros_ = 0;
};

void write_counts(ByteWriter& out, const std::vector<std::int64_t>& counts) {
  const auto is_full = [](std::int64_t count) { return count != 0; };
  const auto first = std::find_if(counts.begin(), counts.end(), is_full);
  const auto last = std::find_if(counts.rbegin(), counts.rend(), is_full).base();
  out.integer(first < last ? first - counts.begin() : 0);
  out.integer(first < last ? last - first : 0);
  for (auto at = first; at < last; ++at) out.integer(*at);
}

std::vector<std::int64_t> read_counts(ByteReader& in) {
  constexpr auto most = static_cast<std::int64_t>(code_count);
  const std::int64_t first = in.integer(0, most);
  const std::int64_t count = in.integer(0, most - first);
  if (count == 0) return {};
  std::vector<std::int64_t> counts(code_count);
  for (std::int64_t i = first; i < first + count; ++i) {
    counts[static_cast<std::size_t>(i)] = in.integer(0, max_count);
  }
  return counts;
}

}  // namespace

int Histogram::first_code() const {
  return std::max(octave_ - octaves + 1, 0) * bins_an_octave;
}

void Histogram::raise_to(int octave) {
  if (octave <= octave_) return;
  const int before = first_code();
  octave_ = octave;
  const auto by = static_cast<std::size_t>(first_code() - before);
  if (by == 0) return;
  small_positive_ += shift_down(positive_, by);
  small_negative_ += shift_down(negative_, by);
}

void Histogram::add(std::span<const float> numbers) {
  for (std::size_t done = 0; done < numbers.size(); done += tallied) {
    const auto piece = numbers.subspan(done, std::min(tallied, numbers.size() - done));
    const std::uint32_t most = largest_magnitude(piece);
    if (piece.size() < min_tallied || most >= infinity_bits) {
      add_each(piece);
    } else {
      add_finite(piece, most);
    }
  }
}

void Histogram::add_each(std::span<const float> numbers) {
  std::uint32_t most = 0;
  bool has_negative = false;
  for (const float number : numbers) {
    const auto bits = std::bit_cast<std::uint32_t>(number);
    const std::uint32_t magnitude = bits & ~sign_bit;
    if (magnitude >= infinity_bits) continue;
    most = std::max(most, magnitude);
    has_negative = has_negative || (bits > sign_bit);
  }
  if (most > 0) raise_to(static_cast<int>(most >> (code_shift + 8)));
  if (most > 0 && positive_.empty()) positive_.resize(code_count);
  if (has_negative && negative_.empty()) negative_.resize(code_count);
  const auto first = static_cast<std::uint32_t>(first_code());
  for (const float number : numbers) {
    const auto bits = std::bit_cast<std::uint32_t>(number);
    const std::uint32_t magnitude = bits & ~sign_bit;
    if (magnitude >= infinity_bits) continue;
    const std::uint32_t code = magnitude >> code_shift;
    if (magnitude == 0) {
      ++zeros_;
    } else if (code < first) {
      ++(bits < sign_bit ? small_positive_ : small_negative_);
    } else {
      ++(bits < sign_bit ? positive_ : negative_)[code - first];
    }
  }
}

void Histogram::add_finite(std::span<const float> numbers, std::uint32_t most) {
  if (most > 0) raise_to(static_cast<int>(most >> (code_shift + 8)));
  // Then zeros would be in the first bin.
  if (first_code() == 0) {
    add_each(numbers);
    return;
  }
  const auto tally = std::make_unique<Tally>();
  tally->add(numbers, first_code());
  const std::vector<std::int64_t> counts = tally->counts();
  const auto negative = counts.begin() + tally_side;
  zeros_ += tally->positive_zeros() + tally->negative_zeros();
  small_positive_ += counts.front() - tally->positive_zeros();
  small_negative_ += *negative - tally->negative_zeros();
  add_counted(positive_, std::span(counts).subspan(1, code_count));
  add_counted(negative_, std::span(counts).subspan(tally_side + 1, code_count));
}

void Histogram::merge(const Histogram& other) {
  // A copy: the octaves of the other may have to shift too, and `other` may be *this.
  Histogram added = other;
  raise_to(added.octave_);
  added.raise_to(octave_);
  zeros_ += added.zeros_;
  small_positive_ += added.small_positive_;
  small_negative_ += added.small_negative_;
  add_counts(positive_, added.positive_);
  add_counts(negative_, added.negative_);
}

std::int64_t Histogram::count() const {
  std::int64_t total = zeros_ + small_positive_ + small_negative_;
  for (const auto* counts : {&positive_, &negative_}) {
    total += std::accumulate(counts->begin(), counts->end(), std::int64_t{0});
  }
  return total;
}

std::vector<Histogram::Bin> Histogram::bins() const {
  std::vector<Bin> bins;
  const int first = first_code();
  for (std::size_t i = negative_.size(); i-- > 0;) {
    if (negative_[i] == 0) continue;
    const int code = first + static_cast<int>(i);
    bins.push_back({-edge_of(code + 1), -edge_of(code), negative_[i]});
  }
  if (small_negative_ > 0) bins.push_back({-edge_of(first), 0, small_negative_});
  if (zeros_ > 0) bins.push_back({0, 0, zeros_});
  if (small_positive_ > 0) bins.push_back({0, edge_of(first), small_positive_});
  for (std::size_t i = 0; i < positive_.size(); ++i) {
    if (positive_[i] == 0) continue;
    const int code = first + static_cast<int>(i);
    bins.push_back({edge_of(code), edge_of(code + 1), positive_[i]});
  }
  return bins;
}

void Histogram::write(ByteWriter& out) const {
  out.integer(octave_);
  out.integer(zeros_);
  out.integer(small_positive_);
  out.integer(small_negative_);
  write_counts(out, positive_);
  write_counts(out, negative_);
}

Histogram Histogram::read(ByteReader& in) {
  constexpr int max_octave = 254;
  Histogram histogram;
  histogram.octave_ = static_cast<int>(in.integer(-1, max_octave));
  histogram.zeros_ = in.integer(0, max_count);
  histogram.small_positive_ = in.integer(0, max_count);
  histogram.small_negative_ = in.integer(0, max_count);
  histogram.positive_ = read_counts(in);
  histogram.negative_ = read_counts(in);
  return histogram;
}

}  // namespace ortool

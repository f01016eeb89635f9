// Statistics of one value: counts, extremes and sums that are independent of sample order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libcore/quantize/calibrate/histogram.hpp"
#include "libcore/quantize/refine/exact_sum.hpp"
#include "libcore/quantize/scheme/choose_scale.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// What is recorded in addition to ranges and means.
struct RecordOptions {
  bool with_histogram = true;
  /// The axis to record per index; negative values count from the end.
  std::optional<std::int64_t> channel_axis;
  /// The smoothing factor of moving averages, in (0, 1); 0: none are kept. Averages depend on the
  /// sample order, so records that keep them cannot be merged.
  double averaging_constant = 0;

  bool operator==(const RecordOptions&) const = default;
};

/// The finite elements of one channel.
struct ChannelRecord {
  std::int64_t count = 0;
  float min = 0;
  float max = 0;
  ExactSum sum;
  ExactSum square_sum;

  double mean() const { return count == 0 ? 0 : sum.value() / static_cast<double>(count); }
  double mean_square() const {
    return count == 0 ? 0 : square_sum.value() / static_cast<double>(count);
  }
  bool is_constant() const { return min == max; }
};

/// The largest magnitude in one sample.
struct SampleExtreme {
  std::int64_t sample = 0;
  float magnitude = 0;

  bool operator==(const SampleExtreme&) const = default;
};

/// Accumulates tensors without keeping any: its size is independent of their number. Merging in any
/// order, from any split of the samples, gives a bit-identical result, except for moving averages.
/// Finite elements determine ranges, means and counts; others are only counted, as are magnitudes
/// beyond float32 (as infinite), since scales are float32.
class ValueRecord {
 public:
  /// The maximum number of samples that extremes() returns.
  static constexpr std::size_t max_extremes = 8;

  explicit ValueRecord(RecordOptions options = {}) : options_(options) {}

  /// Adds a numeric tensor that sample `sample` (from 0) computed. A sample may contribute several
  /// tensors, as in a loop.
  void add(const Tensor& tensor, std::int64_t sample);
  /// Adds the counts of another record of other samples. Throws ErrorCode::invalid for records with
  /// different options or with moving averages.
  void merge(const ValueRecord& other);

  const RecordOptions& options() const { return options_; }
  std::int64_t tensors() const { return tensors_; }
  std::int64_t count() const { return count_; }  ///< of all elements
  std::int64_t nan_count() const { return nan_count_; }
  std::int64_t infinity_count() const { return infinity_count_; }
  std::int64_t finite_count() const { return count_ - nan_count_ - infinity_count_; }
  /// 0 when there are no finite elements.
  float min() const { return min_; }
  float max() const { return max_; }
  double mean() const;
  double std() const;  ///< population standard deviation
  const Histogram& histogram() const { return histogram_; }
  /// The histogram's bins; the outermost are cut at min() and max().
  std::vector<Histogram::Bin> bins() const;
  /// Nothing when no averages are kept or no finite element occurred.
  std::optional<ValueRange> moving_average() const { return average_; }

  /// Empty unless requested, and for values whose number of channels changed.
  std::span<const ChannelRecord> channels() const { return channels_; }

  /// The samples with the largest magnitudes, largest first, at most max_extremes.
  std::span<const SampleExtreme> extremes() const { return extremes_; }
  /// Sums over tensors of the maximum magnitude and of its square.
  const ExactSum& magnitude_sum() const { return magnitude_sum_; }
  const ExactSum& magnitude_square_sum() const { return magnitude_square_sum_; }

  /// For each i from 0 on, the range over the samples below first_sample_of(i + 1): shows after how
  /// many samples the range converges.
  std::vector<ValueRange> prefix_ranges() const;
  /// The first sample of interval `index`: 0 to 15 hold one sample each, later ones eight per
  /// doubling.
  static std::int64_t first_sample_of(std::int64_t index);
  static std::int64_t interval_of(std::int64_t sample);

  void write(ByteWriter& out) const;
  static ValueRecord read(ByteReader& in);

 private:
  struct Ends {
    float low = 0;
    float high = 0;
    bool has_any = false;

    void add(float least, float most);
  };
  struct Piece;

  static Piece piece_of(std::span<const float> numbers);
  static Piece finite_piece_of(std::span<const float> numbers);
  /// For a float32 tensor: the sum of its channels, or nothing if its channels are not those so
  /// far.
  std::optional<Piece> add_channels(const Tensor& tensor);
  /// Channels along the last axis, a piece each.
  static void add_interleaved(std::span<const float> numbers, std::span<Piece> pieces);
  void add_extreme(SampleExtreme extreme);

  RecordOptions options_;
  std::int64_t tensors_ = 0;
  std::int64_t count_ = 0;
  std::int64_t nan_count_ = 0;
  std::int64_t infinity_count_ = 0;
  float min_ = 0;
  float max_ = 0;
  ExactSum sum_;
  ExactSum square_sum_;
  Histogram histogram_;
  std::vector<SampleExtreme> extremes_;
  ExactSum magnitude_sum_;
  ExactSum magnitude_square_sum_;
  std::vector<Ends> intervals_;
  bool has_mixed_channels_ = false;
  std::vector<ChannelRecord> channels_;
  std::optional<ValueRange> average_;
};

}  // namespace ortool

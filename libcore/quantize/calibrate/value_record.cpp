// Value statistics: each tensor is summed in its own order, then added exactly.
#include "libcore/quantize/calibrate/value_record.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "libcore/base/error.hpp"
#include "libcore/base/float_lanes.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::int64_t single_intervals = 16;
constexpr std::int64_t intervals_a_doubling = 8;

}  // namespace

/// The contribution of one tensor.
struct ValueRecord::Piece {
  Ends ends;
  std::int64_t nan_count = 0;
  std::int64_t infinity_count = 0;
  double sum = 0;
  double square_sum = 0;

  void add(float number) {
    if (!std::isfinite(number)) {
      ++(std::isnan(number) ? nan_count : infinity_count);
      return;
    }
    const auto exact = static_cast<double>(number);
    sum += exact;
    square_sum += exact * exact;
    ends.add(number, number);
  }
  void add(const Piece& other) {
    if (other.ends.has_any) ends.add(other.ends.low, other.ends.high);
    nan_count += other.nan_count;
    infinity_count += other.infinity_count;
    sum += other.sum;
    square_sum += other.square_sum;
  }
};

void ValueRecord::Ends::add(float least, float most) {
  // Adding 0 turns -0 into 0, so that the result does not depend on which came first.
  low = (has_any ? std::min(low, least) : least) + 0.0F;
  high = (has_any ? std::max(high, most) : most) + 0.0F;
  has_any = true;
}

std::int64_t ValueRecord::first_sample_of(std::int64_t index) {
  if (index < single_intervals) return index;
  const std::int64_t doubling = (index - single_intervals) / intervals_a_doubling;
  const std::int64_t step = (index - single_intervals) % intervals_a_doubling;
  return (single_intervals << doubling) +
         step * (single_intervals / intervals_a_doubling << doubling);
}

std::int64_t ValueRecord::interval_of(std::int64_t sample) {
  if (sample < single_intervals) return sample;
  const auto doubling =
      static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(sample))) - 5;
  const std::int64_t step = (sample - (single_intervals << doubling)) /
                            (single_intervals / intervals_a_doubling << doubling);
  return single_intervals + doubling * intervals_a_doubling + step;
}

/// Of numbers that are all finite; otherwise has no ends.
ValueRecord::Piece ValueRecord::finite_piece_of(std::span<const float> numbers) {
  constexpr std::int32_t infinity_bits = 0x7f800000;
  const FloatLanes infinite = float_lanes_of(std::numeric_limits<float>::infinity());
  FloatLanes low = infinite;
  FloatLanes high = -infinite;
  IntLanes not_finite = {};
  // Partial sums that are added in a fixed order.
  std::array<DoubleLanes, 2> sums = {};
  std::array<DoubleLanes, 2> square_sums = {};
  std::size_t i = 0;
  for (; i + float_lanes <= numbers.size(); i += float_lanes) {
    const FloatLanes found = load_lanes<FloatLanes>(&numbers[i]);
    not_finite |= (load_lanes<IntLanes>(&numbers[i]) & infinity_bits) == infinity_bits;
    low = found < low ? found : low;
    high = found > high ? found : high;
    const DoubleLanes first = load_doubles(&numbers[i]);
    const DoubleLanes last = load_doubles(&numbers[i + double_lanes]);
    sums[0] += first;
    sums[1] += last;
    square_sums[0] += first * first;
    square_sums[1] += last * last;
  }
  Piece piece;
  for (std::size_t lane = 0; lane < float_lanes; ++lane) {
    if (not_finite[lane] != 0) return {};
    piece.sum += sums[lane / double_lanes][lane % double_lanes];
    piece.square_sum += square_sums[lane / double_lanes][lane % double_lanes];
    if (i > 0) piece.ends.add(low[lane], high[lane]);
  }
  for (; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i])) return {};
    const auto exact = static_cast<double>(numbers[i]);
    piece.sum += exact;
    piece.square_sum += exact * exact;
    piece.ends.add(numbers[i], numbers[i]);
  }
  return piece;
}

ValueRecord::Piece ValueRecord::piece_of(std::span<const float> numbers) {
  Piece piece = finite_piece_of(numbers);
  if (piece.ends.has_any) return piece;
  for (const float number : numbers) piece.add(number);
  return piece;
}

void ValueRecord::add(const Tensor& tensor, std::int64_t sample) {
  ORTOOL_CHECK(sample >= 0);
  if (!is_arithmetic(tensor.type())) return;
  const Tensor floats = convert(tensor, DataType::float32);
  const std::span<const float> numbers = floats.data<float>();
  const std::optional<Piece> summed = options_.channel_axis ? add_channels(floats) : std::nullopt;
  const Piece piece = summed ? *summed : piece_of(numbers);
  if (options_.with_histogram) histogram_.add(numbers);
  ++tensors_;
  count_ += tensor.element_count();
  nan_count_ += piece.nan_count;
  infinity_count_ += piece.infinity_count;
  sum_.add(piece.sum);
  square_sum_.add(piece.square_sum);
  if (!piece.ends.has_any) return;
  const auto [low, high, has_any] = piece.ends;
  const auto interval = static_cast<std::size_t>(interval_of(sample));
  if (intervals_.size() <= interval) intervals_.resize(interval + 1);
  const bool is_first = extremes_.empty();
  min_ = is_first ? low : std::min(min_, low);
  max_ = is_first ? high : std::max(max_, high);
  intervals_[interval].add(low, high);
  const float magnitude = std::max(std::abs(low), std::abs(high));
  add_extreme({sample, magnitude});
  magnitude_sum_.add(static_cast<double>(magnitude));
  magnitude_square_sum_.add(static_cast<double>(magnitude) * static_cast<double>(magnitude));
  if (options_.averaging_constant > 0) {
    const double share = options_.averaging_constant;
    const ValueRange now{static_cast<double>(low), static_cast<double>(high)};
    average_ = average_ ? ValueRange{average_->low + share * (now.low - average_->low),
                                     average_->high + share * (now.high - average_->high)}
                        : now;
  }
}

std::optional<ValueRecord::Piece> ValueRecord::add_channels(const Tensor& tensor) {
  const std::int64_t rank = tensor.shape().rank();
  const std::int64_t axis = *options_.channel_axis + (*options_.channel_axis < 0 ? rank : 0);
  if (axis < 0 || axis >= rank) {
    has_mixed_channels_ = true;
    channels_.clear();
  }
  if (has_mixed_channels_) return std::nullopt;
  const std::int64_t channels = tensor.shape()[axis];
  if (channels_.empty()) channels_.resize(static_cast<std::size_t>(channels));
  if (static_cast<std::int64_t>(channels_.size()) != channels) {
    has_mixed_channels_ = true;
    channels_.clear();
    return std::nullopt;
  }
  const std::int64_t outer = tensor.shape().product(0, axis);
  const std::int64_t inner = tensor.shape().product(axis + 1, rank);
  const std::span<const float> numbers = tensor.data<float>();
  std::vector<Piece> pieces(channels_.size());
  if (inner == 1) {
    add_interleaved(numbers, pieces);
  } else {
    for (std::int64_t i = 0; i < outer * channels; ++i) {
      pieces[static_cast<std::size_t>(i % channels)].add(piece_of(
          numbers.subspan(static_cast<std::size_t>(i * inner), static_cast<std::size_t>(inner))));
    }
  }
  Piece whole;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    ChannelRecord& record = channels_[i];
    const Piece& piece = pieces[i];
    whole.add(piece);
    if (!piece.ends.has_any) continue;
    record.min = record.count == 0 ? piece.ends.low : std::min(record.min, piece.ends.low);
    record.max = record.count == 0 ? piece.ends.high : std::max(record.max, piece.ends.high);
    record.count += outer * inner - piece.nan_count - piece.infinity_count;
    record.sum.add(piece.sum);
    record.square_sum.add(piece.square_sum);
  }
  return whole;
}

void ValueRecord::add_interleaved(std::span<const float> numbers, std::span<Piece> pieces) {
  for (std::size_t done = 0; done < numbers.size(); done += pieces.size()) {
    for (std::size_t channel = 0; channel < pieces.size(); ++channel)
      pieces[channel].add(numbers[done + channel]);
  }
}

void ValueRecord::add_extreme(SampleExtreme extreme) {
  const auto same = std::find_if(extremes_.begin(), extremes_.end(), [&](const SampleExtreme& e) {
    return e.sample == extreme.sample;
  });
  if (same != extremes_.end()) {
    same->magnitude = std::max(same->magnitude, extreme.magnitude);
  } else {
    extremes_.push_back(extreme);
  }
  std::sort(extremes_.begin(), extremes_.end(), [](const SampleExtreme& a, const SampleExtreme& b) {
    return a.magnitude != b.magnitude ? a.magnitude > b.magnitude : a.sample < b.sample;
  });
  if (extremes_.size() > max_extremes) extremes_.pop_back();
}

void ValueRecord::merge(const ValueRecord& other) {
  if (options_ != other.options_) {
    throw Error(ErrorCode::invalid, "calibrations with different settings cannot be merged",
                "calibrate each part of the data with the same settings");
  }
  if (options_.averaging_constant > 0) {
    throw Error(ErrorCode::invalid,
                "moving averages depend on the order of the samples and cannot be merged",
                "calibrate in one pass, or choose another method");
  }
  const auto has_range = [](const ValueRecord& record) { return !record.extremes_.empty(); };
  if (has_range(other)) {
    min_ = has_range(*this) ? std::min(min_, other.min_) : other.min_;
    max_ = has_range(*this) ? std::max(max_, other.max_) : other.max_;
  }
  tensors_ += other.tensors_;
  count_ += other.count_;
  nan_count_ += other.nan_count_;
  infinity_count_ += other.infinity_count_;
  sum_.add(other.sum_);
  square_sum_.add(other.square_sum_);
  histogram_.merge(other.histogram_);
  for (const SampleExtreme& extreme : other.extremes_) add_extreme(extreme);
  magnitude_sum_.add(other.magnitude_sum_);
  magnitude_square_sum_.add(other.magnitude_square_sum_);
  if (intervals_.size() < other.intervals_.size()) intervals_.resize(other.intervals_.size());
  for (std::size_t i = 0; i < other.intervals_.size(); ++i) {
    const Ends& ends = other.intervals_[i];
    if (ends.has_any) intervals_[i].add(ends.low, ends.high);
  }
  if (channels_.empty() && !has_mixed_channels_) {
    channels_ = other.channels_;
    has_mixed_channels_ = other.has_mixed_channels_;
    return;
  }
  if (other.channels_.empty() && !other.has_mixed_channels_) return;
  if (has_mixed_channels_ || channels_.size() != other.channels_.size()) {
    has_mixed_channels_ = true;
    channels_.clear();
    return;
  }
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    ChannelRecord& mine = channels_[i];
    const ChannelRecord& theirs = other.channels_[i];
    if (theirs.count == 0) continue;
    mine.min = mine.count == 0 ? theirs.min : std::min(mine.min, theirs.min);
    mine.max = mine.count == 0 ? theirs.max : std::max(mine.max, theirs.max);
    mine.count += theirs.count;
    mine.sum.add(theirs.sum);
    mine.square_sum.add(theirs.square_sum);
  }
}

double ValueRecord::mean() const {
  return finite_count() == 0 ? 0 : sum_.value() / static_cast<double>(finite_count());
}

double ValueRecord::std() const {
  if (finite_count() == 0) return 0;
  const double mean_square = square_sum_.value() / static_cast<double>(finite_count());
  return std::sqrt(std::max(mean_square - mean() * mean(), 0.0));
}

std::vector<Histogram::Bin> ValueRecord::bins() const {
  std::vector<Histogram::Bin> bins = histogram_.bins();
  if (bins.empty()) return bins;
  bins.front().low = std::max(bins.front().low, static_cast<double>(min_));
  bins.back().high = std::min(bins.back().high, static_cast<double>(max_));
  return bins;
}

std::vector<ValueRange> ValueRecord::prefix_ranges() const {
  std::vector<ValueRange> ranges;
  Ends ends;
  for (const Ends& interval : intervals_) {
    if (interval.has_any) ends.add(interval.low, interval.high);
    ranges.push_back({static_cast<double>(ends.low), static_cast<double>(ends.high)});
  }
  return ranges;
}

}  // namespace ortool

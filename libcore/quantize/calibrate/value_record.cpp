// Value statistics: each tensor is summed in its own order, then added exactly.
#include "libcore/quantize/calibrate/value_record.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "libcore/base/error.hpp"
#include "libcore/quantize/calibrate/byte_stream.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::int64_t single_intervals = 16;
constexpr std::int64_t intervals_a_doubling = 8;

void write_sum(ByteWriter& out, const ExactSum& sum) {
  const std::vector<double> digits = sum.digits();
  out.integer(static_cast<std::int64_t>(digits.size()));
  for (const double digit : digits) out.number(digit);
}

ExactSum read_sum(ByteReader& in) {
  ExactSum sum;
  for (std::int64_t left = in.count(8); left > 0; --left) {
    const double digit = in.number();
    if (!std::isfinite(digit) || std::abs(digit) > 0x1p900) {
      throw Error(ErrorCode::invalid, "the calibration is damaged",
                  "name another file to calibrate again; this one stays as it is");
    }
    sum.add(digit);
  }
  return sum;
}

float read_float(ByteReader& in) {
  return static_cast<float>(in.number());
}

}  // namespace

/// The contribution of one tensor.
struct ValueRecord::Piece {
  Ends ends;
  std::int64_t nan_count = 0;
  std::int64_t infinity_count = 0;
  double sum = 0;
  double square_sum = 0;
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

ValueRecord::Piece ValueRecord::piece_of(std::span<const float> numbers) {
  // Four partial sums that vectorize; combined in a fixed order.
  constexpr std::size_t lanes = 4;
  std::array<double, lanes> sums = {};
  std::array<double, lanes> square_sums = {};
  Piece piece;
  float low = std::numeric_limits<float>::infinity();
  float high = -low;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const float number = numbers[i];
    if (!std::isfinite(number)) {
      ++(std::isnan(number) ? piece.nan_count : piece.infinity_count);
      continue;
    }
    low = std::min(low, number);
    high = std::max(high, number);
    const auto exact = static_cast<double>(number);
    sums[i % lanes] += exact;
    square_sums[i % lanes] += exact * exact;
  }
  if (low <= high) piece.ends.add(low, high);
  for (std::size_t i = 0; i < lanes; ++i) {
    piece.sum += sums[i];
    piece.square_sum += square_sums[i];
  }
  return piece;
}

void ValueRecord::add(const Tensor& tensor, std::int64_t sample) {
  ORTOOL_CHECK(sample >= 0);
  if (!is_arithmetic(tensor.type())) return;
  const Tensor floats = convert(tensor, DataType::float32);
  const std::span<const float> numbers = floats.data<float>();
  const Piece piece = piece_of(numbers);
  if (options_.with_histogram) histogram_.add(numbers);
  ++tensors_;
  count_ += tensor.element_count();
  nan_count_ += piece.nan_count;
  infinity_count_ += piece.infinity_count;
  sum_.add(piece.sum);
  square_sum_.add(piece.square_sum);
  if (options_.channel_axis) add_channels(floats);
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

void ValueRecord::add_channels(const Tensor& tensor) {
  const std::int64_t rank = tensor.shape().rank();
  const std::int64_t axis = *options_.channel_axis + (*options_.channel_axis < 0 ? rank : 0);
  if (axis < 0 || axis >= rank) {
    has_mixed_channels_ = true;
    channels_.clear();
  }
  if (has_mixed_channels_) return;
  const std::int64_t channels = tensor.shape()[axis];
  if (channels_.empty()) channels_.resize(static_cast<std::size_t>(channels));
  if (static_cast<std::int64_t>(channels_.size()) != channels) {
    has_mixed_channels_ = true;
    channels_.clear();
    return;
  }
  const std::int64_t outer = tensor.shape().product(0, axis);
  const std::int64_t inner = tensor.shape().product(axis + 1, rank);
  const float* numbers = tensor.data<float>().data();
  std::vector<double> sums(channels_.size());
  std::vector<double> square_sums(channels_.size());
  for (std::int64_t i = 0; i < outer; ++i) {
    for (std::size_t channel = 0; channel < channels_.size(); ++channel) {
      ChannelRecord& record = channels_[channel];
      for (const float* end = numbers + inner; numbers < end; ++numbers) {
        const float number = *numbers;
        if (!std::isfinite(number)) continue;
        record.min = (record.count == 0 ? number : std::min(record.min, number)) + 0.0F;
        record.max = (record.count == 0 ? number : std::max(record.max, number)) + 0.0F;
        ++record.count;
        const auto exact = static_cast<double>(number);
        sums[channel] += exact;
        square_sums[channel] += exact * exact;
      }
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    channels_[i].sum.add(sums[i]);
    channels_[i].square_sum.add(square_sums[i]);
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

void ValueRecord::write(ByteWriter& out) const {
  out.integer(options_.with_histogram ? 1 : 0);
  out.integer(options_.channel_axis ? 1 : 0);
  out.integer(options_.channel_axis.value_or(0));
  out.number(options_.averaging_constant);
  for (const std::int64_t number : {tensors_, count_, nan_count_, infinity_count_}) {
    out.integer(number);
  }
  out.number(static_cast<double>(min_));
  out.number(static_cast<double>(max_));
  for (const ExactSum* sum : {&sum_, &square_sum_, &magnitude_sum_, &magnitude_square_sum_}) {
    write_sum(out, *sum);
  }
  histogram_.write(out);
  out.integer(static_cast<std::int64_t>(extremes_.size()));
  for (const SampleExtreme& extreme : extremes_) {
    out.integer(extreme.sample);
    out.number(static_cast<double>(extreme.magnitude));
  }
  out.integer(static_cast<std::int64_t>(intervals_.size()));
  for (const Ends& ends : intervals_) {
    out.integer(ends.has_any ? 1 : 0);
    out.number(static_cast<double>(ends.low));
    out.number(static_cast<double>(ends.high));
  }
  out.integer(has_mixed_channels_ ? 1 : 0);
  out.integer(static_cast<std::int64_t>(channels_.size()));
  for (const ChannelRecord& channel : channels_) {
    out.integer(channel.count);
    out.number(static_cast<double>(channel.min));
    out.number(static_cast<double>(channel.max));
    write_sum(out, channel.sum);
    write_sum(out, channel.square_sum);
  }
  out.integer(average_ ? 1 : 0);
  out.number(average_ ? average_->low : 0);
  out.number(average_ ? average_->high : 0);
}

ValueRecord ValueRecord::read(ByteReader& in) {
  constexpr std::int64_t max_count = std::int64_t{1} << 48;
  RecordOptions options;
  options.with_histogram = in.integer(0, 1) == 1;
  const bool has_axis = in.integer(0, 1) == 1;
  const std::int64_t axis = in.integer(-Shape::max_dimensions, Shape::max_dimensions);
  if (has_axis) options.channel_axis = axis;
  options.averaging_constant = in.number();
  ValueRecord record(options);
  for (std::int64_t* number :
       {&record.tensors_, &record.count_, &record.nan_count_, &record.infinity_count_}) {
    *number = in.integer(0, max_count);
  }
  record.min_ = read_float(in);
  record.max_ = read_float(in);
  for (ExactSum* sum :
       {&record.sum_, &record.square_sum_, &record.magnitude_sum_, &record.magnitude_square_sum_}) {
    *sum = read_sum(in);
  }
  record.histogram_ = Histogram::read(in);
  for (std::int64_t left = in.integer(0, max_extremes); left > 0; --left) {
    const std::int64_t sample = in.integer(0, max_count);
    record.extremes_.push_back({sample, read_float(in)});
  }
  for (std::int64_t left = in.count(24); left > 0; --left) {
    Ends ends;
    ends.has_any = in.integer(0, 1) == 1;
    ends.low = read_float(in);
    ends.high = read_float(in);
    record.intervals_.push_back(ends);
  }
  record.has_mixed_channels_ = in.integer(0, 1) == 1;
  for (std::int64_t left = in.count(40); left > 0; --left) {
    ChannelRecord channel;
    channel.count = in.integer(0, max_count);
    channel.min = read_float(in);
    channel.max = read_float(in);
    channel.sum = read_sum(in);
    channel.square_sum = read_sum(in);
    record.channels_.push_back(std::move(channel));
  }
  const bool has_average = in.integer(0, 1) == 1;
  const ValueRange average{in.number(), in.number()};
  if (has_average) record.average_ = average;
  return record;
}

}  // namespace ortool

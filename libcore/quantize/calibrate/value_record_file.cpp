// Value statistics in calibration files: sums are written as their digits, so that none is rounded.
#include <cmath>

#include "libcore/base/error.hpp"
#include "libcore/quantize/calibrate/byte_stream.hpp"
#include "libcore/quantize/calibrate/value_record.hpp"

namespace ortool {
namespace {

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

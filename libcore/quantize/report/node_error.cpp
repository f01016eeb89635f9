// Per-value error sums: each pair of tensors is summed in its own order, then added exactly.
#include "libcore/quantize/report/node_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "libcore/base/error.hpp"
#include "libcore/base/float_lanes.hpp"
#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"
#include "libcore/tensor/signal_to_noise.hpp"

namespace ortool {
namespace {

constexpr std::int64_t pair_piece = 4096;
/// Large, since exact sums take time for each.
constexpr std::size_t float_piece = std::size_t{1} << 16;

/// Calls body(found, expected) for each pair of elements in [first, first + count).
template <typename Body>
void for_pairs(const Tensor& found, const Tensor& expected, std::int64_t first, std::int64_t count,
               Body body) {
  std::array<double, pair_piece> left;
  std::array<double, pair_piece> right;
  for (std::int64_t done = 0; done < count; done += pair_piece) {
    const auto size = static_cast<std::size_t>(std::min(pair_piece, count - done));
    read_doubles(found, first + done, std::span(left).first(size));
    read_doubles(expected, first + done, std::span(right).first(size));
    for (std::size_t i = 0; i < size; ++i) body(left[i], right[i]);
  }
}

std::vector<ValuePair> pairs_of(std::span<const ErrorRequest> requests) {
  std::vector<ValuePair> pairs;
  for (const ErrorRequest& request : requests) pairs.push_back(request.names);
  return pairs;
}

/// Squares of larger magnitudes might overflow; such elements count as infinite.
bool is_usable(double number) {
  return std::abs(number) <= static_cast<double>(std::numeric_limits<float>::max());
}

}  // namespace

void ErrorSums::add(const Tensor& found, const Tensor& expected) {
  if (found.shape() != expected.shape()) {
    throw Error(ErrorCode::invalid,
                format("shape {} cannot be compared with {}", found.shape().to_string(),
                       expected.shape().to_string()));
  }
  if (found.type() == DataType::float32 && expected.type() == DataType::float32) {
    const std::span<const float> left = found.data<float>();
    const std::span<const float> right = expected.data<float>();
    for (std::size_t done = 0; done < left.size(); done += float_piece) {
      const std::size_t count = std::min(float_piece, left.size() - done);
      if (!add_finite(left.subspan(done, count), right.subspan(done, count)))
        add_each(found, expected, static_cast<std::int64_t>(done),
                 static_cast<std::int64_t>(count));
    }
  } else {
    add_each(found, expected, 0, found.element_count());
  }
  if (channel_axis_) add_channels(found, expected);
}

bool ErrorSums::add_finite(std::span<const float> found, std::span<const float> expected) {
  constexpr std::int32_t infinity_bits = 0x7f800000;
  IntLanes not_finite = {};
  std::size_t i = 0;
  for (; i + float_lanes <= found.size(); i += float_lanes) {
    not_finite |= (load_lanes<IntLanes>(&found[i]) & infinity_bits) == infinity_bits;
    not_finite |= (load_lanes<IntLanes>(&expected[i]) & infinity_bits) == infinity_bits;
  }
  bool is_finite = (not_finite[0] | not_finite[1] | not_finite[2] | not_finite[3]) == 0;
  for (; i < found.size(); ++i)
    is_finite = is_finite && std::isfinite(found[i]) && std::isfinite(expected[i]);
  if (!is_finite) return false;
  DoubleLanes found_squares = {};
  DoubleLanes expected_squares = {};
  DoubleLanes products = {};
  DoubleLanes error_squares = {};
  DoubleLanes errors = {};
  DoubleLanes max_error = {};
  const auto add_lanes = [&](DoubleLanes left, DoubleLanes right) {
    const DoubleLanes error = left - right;
    const DoubleLanes magnitude = error < 0 ? -error : error;
    found_squares += left * left;
    expected_squares += right * right;
    products += left * right;
    error_squares += error * error;
    errors += error;
    max_error = magnitude > max_error ? magnitude : max_error;
  };
  for (i = 0; i + double_lanes <= found.size(); i += double_lanes)
    add_lanes(load_doubles(&found[i]), load_doubles(&expected[i]));
  if (i < found.size())
    add_lanes(DoubleLanes{static_cast<double>(found[i]), 0},
              DoubleLanes{static_cast<double>(expected[i]), 0});
  count_ += static_cast<std::int64_t>(found.size());
  max_abs_error_ = std::max({max_abs_error_, max_error[0], max_error[1]});
  found_squares_.add(found_squares[0] + found_squares[1]);
  expected_squares_.add(expected_squares[0] + expected_squares[1]);
  products_.add(products[0] + products[1]);
  error_squares_.add(error_squares[0] + error_squares[1]);
  errors_.add(errors[0] + errors[1]);
  return true;
}

void ErrorSums::add_each(const Tensor& found, const Tensor& expected, std::int64_t first,
                         std::int64_t count) {
  double found_squares = 0;
  double expected_squares = 0;
  double products = 0;
  double error_squares = 0;
  double errors = 0;
  for_pairs(found, expected, first, count, [&](double left, double right) {
    if (!is_usable(left) || !is_usable(right)) {
      const bool is_same = left == right || (std::isnan(left) && std::isnan(right));
      not_finite_ += is_same ? 0 : 1;
      return;
    }
    const double error = left - right;
    ++count_;
    found_squares += left * left;
    expected_squares += right * right;
    products += left * right;
    error_squares += error * error;
    errors += error;
    max_abs_error_ = std::max(max_abs_error_, std::abs(error));
  });
  found_squares_.add(found_squares);
  expected_squares_.add(expected_squares);
  products_.add(products);
  error_squares_.add(error_squares);
  errors_.add(errors);
}

void ErrorSums::add_channels(const Tensor& found, const Tensor& expected) {
  const Shape& shape = found.shape();
  const std::int64_t axis = *channel_axis_ + (*channel_axis_ < 0 ? shape.rank() : 0);
  const bool has_axis = axis >= 0 && axis < shape.rank();
  const bool is_first = channel_errors_.empty() && !has_mixed_channels_;
  if (has_axis && is_first) channel_errors_.resize(static_cast<std::size_t>(shape[axis]));
  if (!has_axis || has_mixed_channels_ ||
      static_cast<std::int64_t>(channel_errors_.size()) != shape[axis]) {
    has_mixed_channels_ = true;
    channel_errors_.clear();
    channel_count_ = 0;
    return;
  }
  const std::int64_t outer = shape.product(0, axis);
  const std::int64_t inner = shape.product(axis + 1, shape.rank());
  std::vector<double> sums(channel_errors_.size());
  for (std::int64_t i = 0; i < outer; ++i) {
    for (std::size_t channel = 0; channel < sums.size(); ++channel) {
      const std::int64_t first = (i * shape[axis] + static_cast<std::int64_t>(channel)) * inner;
      for_pairs(found, expected, first, inner, [&](double left, double right) {
        if (is_usable(left) && is_usable(right)) sums[channel] += left - right;
      });
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) channel_errors_[i].add(sums[i]);
  channel_count_ += outer * inner;
}

void ErrorSums::merge(const ErrorSums& other) {
  count_ += other.count_;
  not_finite_ += other.not_finite_;
  max_abs_error_ = std::max(max_abs_error_, other.max_abs_error_);
  found_squares_.add(other.found_squares_);
  expected_squares_.add(other.expected_squares_);
  products_.add(other.products_);
  error_squares_.add(other.error_squares_);
  errors_.add(other.errors_);
  const bool has_none = channel_errors_.empty() && !has_mixed_channels_;
  const bool others_has_none = other.channel_errors_.empty() && !other.has_mixed_channels_;
  if (has_none) channel_errors_.resize(other.channel_errors_.size());
  has_mixed_channels_ =
      has_mixed_channels_ || other.has_mixed_channels_ ||
      (!others_has_none && channel_errors_.size() != other.channel_errors_.size());
  if (has_mixed_channels_) {
    channel_errors_.clear();
    channel_count_ = 0;
    return;
  }
  for (std::size_t i = 0; i < other.channel_errors_.size(); ++i) {
    channel_errors_[i].add(other.channel_errors_[i]);
  }
  channel_count_ += other.channel_count_;
}

double ErrorSums::sqnr_db() const {
  return signal_to_noise_db(expected_squares_.value(), error_squares_.value());
}

double ErrorSums::cosine() const {
  const double found = found_squares_.value();
  const double expected = expected_squares_.value();
  if (found == 0 || expected == 0) return found == expected ? 1 : 0;
  return std::clamp(products_.value() / (std::sqrt(found) * std::sqrt(expected)), -1.0, 1.0);
}

double ErrorSums::mean_square_error() const {
  return count_ == 0 ? 0 : error_squares_.value() / static_cast<double>(count_);
}

double ErrorSums::mean_error() const {
  return count_ == 0 ? 0 : errors_.value() / static_cast<double>(count_);
}

std::vector<double> ErrorSums::channel_mean_errors() const {
  std::vector<double> means;
  for (const ExactSum& sum : channel_errors_) {
    means.push_back(channel_count_ == 0 ? 0 : sum.value() / static_cast<double>(channel_count_));
  }
  return means;
}

Json ErrorSums::state() const {
  return Json::object()
      .set("count", count_)
      .set("not_finite", not_finite_)
      .set("max_abs_error", max_abs_error_)
      .set("found_squares", Json::list_of(found_squares_.digits()))
      .set("expected_squares", Json::list_of(expected_squares_.digits()))
      .set("products", Json::list_of(products_.digits()))
      .set("error_squares", Json::list_of(error_squares_.digits()))
      .set("errors", Json::list_of(errors_.digits()));
}

ErrorSums ErrorSums::from_state(const MetricState& state) {
  ErrorSums sums;
  sums.count_ = state.integer("count");
  sums.not_finite_ = state.integer("not_finite");
  sums.max_abs_error_ = state.number("max_abs_error");
  const auto read = [&](std::string_view key, ExactSum& sum) {
    for (const Json& digit : state.list(key)) {
      if (!digit.is_number() || !std::isfinite(digit.number())) MetricState::refuse(key);
      sum.add(digit.number());
    }
  };
  read("found_squares", sums.found_squares_);
  read("expected_squares", sums.expected_squares_);
  read("products", sums.products_);
  read("error_squares", sums.error_squares_);
  read("errors", sums.errors_);
  return sums;
}

ErrorCollector::ErrorCollector(std::span<const ErrorRequest> requests)
    : runs_(pairs_of(requests), ValueOrder::of_nodes) {
  for (const ErrorRequest& request : requests) {
    channel_axes_.emplace(request.names.name, request.channel_axis);
  }
}

ValueError& ErrorCollector::error_of(std::string_view value) {
  for (ValueError& error : errors_) {
    if (error.value == value) return error;
  }
  const auto axis = channel_axes_.find(value);
  ValueError error{std::string(value),
                   {},
                   {},
                   ErrorSums(axis == channel_axes_.end() ? std::nullopt : axis->second)};
  return errors_.emplace_back(std::move(error));
}

void ErrorCollector::add(const Session& floating, const Session& quantized,
                         const NamedValues& inputs, const RunOptions& options) {
  runs_.run({floating, inputs, options}, {quantized, inputs, options},
            [this](const Node& node, std::int64_t index, const RunValue& expected,
                   const RunValue& found) {
              if (!expected.is_tensor() || !found.is_tensor()) return true;
              if (!is_arithmetic(expected.tensor().type()) ||
                  !is_arithmetic(found.tensor().type()) ||
                  expected.tensor().shape() != found.tensor().shape()) {
                return true;
              }
              ValueError& error = error_of(node.output(index)->name());
              error.node = node.name();
              error.op_type = node.op_type();
              error.sums.add(found.tensor(), expected.tensor());
              return true;
            });
}

void ErrorCollector::merge(const ErrorCollector& other) {
  for (const ValueError& theirs : other.errors_) {
    ValueError& mine = error_of(theirs.value);
    mine.node = theirs.node;
    mine.op_type = theirs.op_type;
    mine.sums.merge(theirs.sums);
  }
}

const ValueError* ErrorCollector::find(std::string_view value) const {
  const auto found = std::find_if(errors_.begin(), errors_.end(), [value](const ValueError& error) {
    return error.value == value;
  });
  return found == errors_.end() ? nullptr : &*found;
}

const ValueError* first_bad(std::span<const ValueError> errors, double bad_db, double fall_db) {
  double least = std::numeric_limits<double>::infinity();
  for (const ValueError& error : errors) {
    const double sqnr = error.sums.sqnr_db();
    if (sqnr < bad_db || (std::isfinite(least) && sqnr < least - fall_db)) return &error;
    least = std::min(least, sqnr);
  }
  return nullptr;
}

}  // namespace ortool

// Means and variances merged block by block (Chan, Golub and LeVeque).
#include "libcore/inspect/value_statistics.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::int64_t piece_elements = 8192;
constexpr double largest_float16 = 65504;

std::string short_number(double number) {
  const double scale =
      number == 0 ? 1 : std::pow(10.0, 2 - std::floor(std::log10(std::abs(number))));
  return format("{}", std::round(number * scale) / scale);
}

}  // namespace

void ValueStatistics::add(const Tensor& tensor) {
  ++tensors_;
  if (type_ == DataType::undefined) {
    type_ = tensor.type();
    const int bits = element_bits(type_);
    if (is_integer(type_) && bits <= 16) {
      const double values = std::ldexp(1.0, bits);
      lowest_ = is_signed_integer(type_) ? -values / 2 : 0;
      highest_ = lowest_ + values - 1;
    }
  }
  if (!is_arithmetic(tensor.type())) return;
  std::vector<double> piece;
  for (std::int64_t first = 0; first < tensor.element_count(); first += piece_elements) {
    piece.resize(
        static_cast<std::size_t>(std::min(piece_elements, tensor.element_count() - first)));
    read_doubles(tensor, first, piece);
    add_piece(piece);
  }
}

void ValueStatistics::add_piece(const std::vector<double>& values) {
  std::int64_t finite = 0;
  double sum = 0;
  double least = INFINITY;
  double most = -INFINITY;
  for (const double value : values) {
    if (std::isnan(value)) {
      ++nan_count_;
    } else if (std::isinf(value)) {
      ++infinity_count_;
    } else {
      ++finite;
      sum += value;
      least = std::min(least, value);
      most = std::max(most, value);
      zero_count_ += value == 0 ? 1 : 0;
      end_count_ += value == lowest_ || value == highest_ ? 1 : 0;
    }
  }
  count_ += static_cast<std::int64_t>(values.size());
  if (finite == 0) return;
  const double mean = sum / static_cast<double>(finite);
  double squares = 0;
  for (const double value : values) {
    if (std::isfinite(value)) squares += (value - mean) * (value - mean);
  }
  const double before = static_cast<double>(finite_count_);
  const double now = static_cast<double>(finite);
  const double step = mean - mean_;
  min_ = finite_count_ == 0 ? least : std::min(min_, least);
  max_ = finite_count_ == 0 ? most : std::max(max_, most);
  mean_ += step * now / (before + now);
  squares_ += squares + step * step * before * now / (before + now);
  finite_count_ += finite;
}

double ValueStatistics::std() const {
  return finite_count_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(finite_count_));
}

double ValueStatistics::zero_share() const {
  return count_ == 0 ? 0 : static_cast<double>(zero_count_) / static_cast<double>(count_);
}

double ValueStatistics::end_share() const {
  const bool has_ends = highest_ > lowest_;
  return count_ == 0 || !has_ends ? 0
                                  : static_cast<double>(end_count_) / static_cast<double>(count_);
}

std::vector<std::string> ValueStatistics::risks() const {
  std::vector<std::string> risks;
  if (nan_count_ > 0) risks.push_back(format("{} NaN", nan_count_));
  if (infinity_count_ > 0) risks.push_back(format("{} infinite", infinity_count_));
  if (!has_range()) return risks;
  if (is_floating_point(type_)) {
    const double largest = std::max(std::abs(min_), std::abs(max_));
    if (largest > largest_float16) {
      risks.push_back(format("float16 overflows: up to {}", short_number(largest)));
    } else if (largest > largest_float16 / 4) {
      risks.push_back(format("near the float16 maximum: up to {}", short_number(largest)));
    }
    // Four standard deviations contain most elements of any distribution that is not spiky.
    constexpr double fewest_steps = 16;
    const double steps = max_ > min_ ? 255 * 4 * std() / (max_ - min_) : 255;
    if (steps < fewest_steps && std() > 0) {
      risks.push_back(
          format("int8 over the whole range leaves {} steps for most elements", std::ceil(steps)));
    }
  }
  constexpr double worth_saying = 0.01;
  // A lower end of zero is where a quantized Relu clips.
  const double share = lowest_ == 0 ? end_share() - zero_share() : end_share();
  if (share > worth_saying) {
    risks.push_back(format("{} % at the ends of {}", short_number(share * 100), name_of(type_)));
  }
  return risks;
}

}  // namespace ortool

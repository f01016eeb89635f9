// Ranges of channels in, factors out; the weights are scaled by them exactly but for one rounding.
#include "libcore/quantize/balance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Weights at most this much apart are equalised; beyond, a channel is as good as dead.
constexpr double most_factor = 1e4;

/// Equalises two neighbours; returns the largest factor or inverse of one.
double equalize_pair(EqualizedLayer& first, EqualizedLayer& second) {
  const std::vector<double> before = output_magnitudes(first.weights, first.matrix);
  const std::vector<double> behind = input_magnitudes(second.weights, second.matrix);
  if (before.size() != behind.size()) {
    throw Error(ErrorCode::invalid,
                format("a layer with {} outputs is followed by one with {} inputs", before.size(),
                       behind.size()));
  }
  std::vector<double> down(before.size(), 1);
  std::vector<double> up(before.size(), 1);
  double largest = 1;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == 0 || behind[i] == 0) continue;
    const double factor =
        std::clamp(std::sqrt(before[i] / behind[i]), 1 / most_factor, most_factor);
    down[i] = 1 / factor;
    up[i] = factor;
    largest = std::max({largest, factor, 1 / factor});
  }
  first.weights = scale_outputs(first.weights, first.matrix, down);
  if (!first.bias.is_empty()) first.bias = scale_elements(first.bias, down);
  second.weights = scale_inputs(second.weights, second.matrix, up);
  return largest;
}

struct ChannelStrength {
  double reach = 0;        ///< the largest magnitude
  double mean_square = 0;  ///< of the elements
};

/// The expected squared error of one output element, summed over outputs, up to a common factor.
double product_error(std::span<const ChannelStrength> channels, const Tensor& weights,
                     const WeightMatrix& matrix, std::span<const double> factors) {
  double reach = 0;
  double energy = 0;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    reach = std::max(reach, channels[i].reach / factors[i]);
    energy += channels[i].mean_square / (factors[i] * factors[i]);
  }
  double weight_squares = 0;
  double weight_reaches = 0;
  for (std::int64_t output = 0; output < matrix.outputs(); ++output) {
    double most = 0;
    for (std::int64_t input = 0; input < matrix.inputs(); ++input) {
      const double weight = element_as_double(weights, matrix.index(output, input, 0)) *
                            factors[static_cast<std::size_t>(input)];
      weight_squares += weight * weight;
      most = std::max(most, std::abs(weight));
    }
    weight_reaches += most * most;
  }
  return reach * reach * weight_squares + weight_reaches * energy;
}

}  // namespace

double equalize_chain(std::span<EqualizedLayer> layers) {
  double largest = 1;
  for (int round = 0; round < 20; ++round) {
    double moved = 1;
    for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
      moved = std::max(moved, equalize_pair(layers[i], layers[i + 1]));
    }
    largest = std::max(largest, moved);
    if (moved < 1.01) break;
  }
  return largest;
}

std::optional<Smoothing> choose_smoothing(std::span<const ChannelRecord> channels,
                                          const Tensor& weights, const WeightMatrix& matrix) {
  if (static_cast<std::int64_t>(channels.size()) != matrix.inputs() || matrix.groups() != 1 ||
      matrix.taps() != 1) {
    return std::nullopt;
  }
  std::vector<ChannelStrength> strengths;
  for (const ChannelRecord& channel : channels) {
    strengths.push_back({std::max(std::abs(static_cast<double>(channel.min)),
                                  std::abs(static_cast<double>(channel.max))),
                         channel.mean_square()});
  }
  const std::vector<double> reaches = input_magnitudes(weights, matrix);
  const std::vector<double> none(channels.size(), 1);
  const double before = product_error(strengths, weights, matrix, none);
  Smoothing best;
  double least = 0.9 * before;
  for (int tenth = 1; tenth <= 9; ++tenth) {
    const double alpha = tenth / 10.0;
    std::vector<double> factors = none;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if (strengths[i].reach == 0 || reaches[i] == 0) continue;
      factors[i] = std::clamp(std::pow(strengths[i].reach, alpha) / std::pow(reaches[i], 1 - alpha),
                              1e-5, 1e5);
    }
    const double error = product_error(strengths, weights, matrix, factors);
    if (!(error < least)) continue;
    least = error;
    best = {std::move(factors), alpha, before / error};
  }
  return best.factors.empty() ? std::nullopt : std::optional(std::move(best));
}

std::vector<double> expected_shift(const Tensor& weights, const Tensor& dequantized,
                                   const WeightMatrix& matrix, std::span<const double> means) {
  if (static_cast<std::int64_t>(means.size()) != matrix.inputs()) {
    throw Error(ErrorCode::invalid,
                format("{} means are given for {} inputs", means.size(), matrix.inputs()));
  }
  std::vector<double> shift(static_cast<std::size_t>(matrix.outputs()));
  for (std::int64_t output = 0; output < matrix.outputs(); ++output) {
    const std::int64_t first = output / matrix.group_outputs() * matrix.group_inputs();
    double sum = 0;
    for (std::int64_t input = 0; input < matrix.group_inputs(); ++input) {
      for (std::int64_t tap = 0; tap < matrix.taps(); ++tap) {
        const std::int64_t index = matrix.index(output, input, tap);
        sum += (element_as_double(dequantized, index) - element_as_double(weights, index)) *
               means[static_cast<std::size_t>(first + input)];
      }
    }
    shift[static_cast<std::size_t>(output)] = sum;
  }
  return shift;
}

Tensor corrected_bias(const Tensor& bias, std::span<const double> shift) {
  if (static_cast<std::int64_t>(shift.size()) != bias.element_count()) {
    throw Error(ErrorCode::invalid, format("{} corrections are given for a bias of {} elements",
                                           shift.size(), bias.element_count()));
  }
  Tensor corrected(bias.type(), bias.shape());
  for (std::int64_t i = 0; i < bias.element_count(); ++i) {
    set_element(corrected, i, element_as_double(bias, i) - shift[static_cast<std::size_t>(i)]);
  }
  return corrected;
}

}  // namespace ortool

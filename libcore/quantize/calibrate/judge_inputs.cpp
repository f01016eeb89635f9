// Input-scale check: one function per kind of evidence, the most conclusive first.
#include "libcore/quantize/calibrate/judge_inputs.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

constexpr double far_scale = 50;  // more than two data sets of the same kind ever differ by
constexpr std::size_t fewest_channels = 4;

using Finding = std::optional<std::string>;

/// Formats with three digits, or as an integer.
std::string rounded(double number) {
  if (std::abs(number) >= 1000) return format("{}", std::round(number));
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, 3);
  return {text.data(), end.ptr};
}

std::string reach_of(const ValueRecord& record) {
  return format("ranges from {} to {}", rounded(static_cast<double>(record.min())),
                rounded(static_cast<double>(record.max())));
}

double size_of(const ValueRange& range) {
  return std::max(std::abs(range.low), std::abs(range.high));
}

ValueRange range_of(const ValueRecord& record) {
  return {static_cast<double>(record.min()), static_cast<double>(record.max())};
}

std::string too_large() {
  return "the data looks too large (0-255 instead of 0-1?)";
}

std::string too_small() {
  return "the data looks too small (0-1 instead of 0-255?)";
}

/// The median; partially sorts `numbers`.
double median(std::vector<double>& numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

/// The comparison by magnitude alone.
std::string compare_sizes(const ValueRange& seen, const ValueRange& expected) {
  const double ratio = size_of(seen) / size_of(expected);
  if (ratio >= far_scale) return too_large();
  return ratio <= 1 / far_scale ? too_small() : std::string();
}

Finding judge_range(const ExpectedRange& expected, const ValueRecord& record) {
  const ValueRange seen = range_of(record);
  if (size_of(seen) == 0 || size_of(expected.range) == 0) return std::nullopt;
  std::string found = compare_sizes(seen, expected.range);
  const double slack = (expected.range.high - expected.range.low) / 20;
  const bool is_outside =
      seen.low < expected.range.low - slack || seen.high > expected.range.high + slack;
  if (found.empty() && expected.is_strict && is_outside)
    found = "the data looks as if another scale, mean or std were applied";
  if (found.empty()) return std::nullopt;
  return format("input {} {}, but {} lies between {} and {}: {}", quote(expected.input),
                reach_of(record), expected.source, rounded(expected.range.low),
                rounded(expected.range.high), found);
}

Finding judge_pictures(const ExpectedRange& known, const ValueRecord& record) {
  constexpr double raw_width = 1.8;
  constexpr double wide = 2.5;
  const ValueRange seen = range_of(record);
  const double width = seen.high - seen.low;
  const double known_width = known.range.high - known.range.low;
  if (size_of(seen) == 0 || !(known_width > 0)) return std::nullopt;
  std::string found = compare_sizes(seen, known.range);
  const bool is_raw = seen.low >= 0 && seen.high <= 1.01;
  const bool is_known_normal = known.range.low < -0.1 * known_width;
  if (found.empty() && is_raw && is_known_normal && known_width >= raw_width * width)
    found = "the data looks as if mean and std were left out";
  if (found.empty() && width >= wide * known_width && seen.low < known.range.low - known_width / 2)
    found = "the data looks as if mean and std were applied twice, or should not be applied";
  if (found.empty()) return std::nullopt;
  return format("input {} {}, but {} from {} to {}: {}", quote(known.input), reach_of(record),
                known.source, rounded(known.range.low), rounded(known.range.high), found);
}

/// The deviation of the outputs relative to that in training, and the shift of their mean in
/// training deviations: each is the median over all channels that vary.
struct NormRatios {
  double deviation = 1;
  double shift = 0;
};

std::optional<NormRatios> compare_norm(const NormStatistics& norm, const ValueRecord& record) {
  const std::span<const ChannelRecord> channels = record.channels();
  if (channels.size() != norm.means.size() || channels.empty()) return std::nullopt;
  constexpr double dead_share = 1e-3;  // relative to the largest deviation: a channel that training
                                       // left unused
  const double largest = *std::max_element(norm.deviations.begin(), norm.deviations.end());
  std::vector<double> deviations;
  std::vector<double> shifts;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (!(norm.deviations[i] > dead_share * largest) || channels[i].count == 0) continue;
    const double mean = channels[i].mean();
    const double variance = std::max(channels[i].mean_square() - mean * mean, 0.0);
    deviations.push_back(std::sqrt(variance) / norm.deviations[i]);
    shifts.push_back(std::abs(mean - norm.means[i]) / norm.deviations[i]);
  }
  if (deviations.size() < fewest_channels) return std::nullopt;
  return NormRatios{median(deviations), median(shifts)};
}

Finding judge_norm(const NormStatistics& norm, const ValueRecord& record, std::int64_t samples) {
  const std::optional<NormRatios> ratios = compare_norm(norm, record);
  if (!ratios) return std::nullopt;
  constexpr double most = 2.5;
  constexpr double max_shift = 3;
  constexpr std::int64_t enough_samples = 8;
  const double least = samples >= enough_samples ? 0.3 : 0.03;
  const double ratio = ratios->deviation;
  if (ratio >= least && ratio <= most && ratios->shift <= max_shift) return std::nullopt;
  std::string guess = "a different mean?";
  if (ratio > most) guess = "mean and std applied twice, or a scale left out?";
  if (ratio >= far_scale) guess = "0-255 instead of 0-1?";
  if (ratio < least) guess = "mean and std left out?";
  if (ratio < 1 / far_scale) guess = "0-1 instead of 0-255?";
  return format(
      "after input {}, the output of {} varies {} times as much as in training, and its means are "
      "{} standard deviations off: the data does not look like the training data ({})",
      quote(norm.input), quote(norm.node), rounded(ratio), rounded(ratios->shift), guess);
}

/// The count that a constant prediction of the most frequent label gets right, plus a margin.
double chance_of(const LabelCount& labels) {
  const auto count = static_cast<double>(labels.samples);
  const double share = static_cast<double>(labels.max_common) / count;
  return count * share + 2 * std::sqrt(count * share * (1 - share));
}

bool can_judge(const LabelCount& labels) {
  constexpr std::int64_t fewest_samples = 20;
  return labels.samples >= fewest_samples && labels.max_common < labels.samples;
}

Finding judge_labels(const LabelCount& labels) {
  if (!can_judge(labels) || static_cast<double>(labels.right) > chance_of(labels))
    return std::nullopt;
  return format(
      "the float model is right for {} of {} labeled samples, and gives the same answer for {}: "
      "the data does not look like the training data (scale, mean and std, order of channels or "
      "axes), or the labels are of other classes",
      labels.right, labels.samples, labels.max_common);
}

Finding judge_layer(const BiasedLayer& layer, const ValueRecord& input, const ValueRecord& output) {
  const std::span<const ChannelRecord> channels = output.channels();
  if (channels.size() != layer.bias.size()) return std::nullopt;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const double offset = std::abs(layer.bias[i]);
    const double moved =
        (static_cast<double>(channels[i].max) - static_cast<double>(channels[i].min)) / 2;
    if (offset > 0 && channels[i].count > 0) ratios.push_back(moved / offset);
  }
  if (ratios.size() < fewest_channels || ratios.size() * 2 < channels.size()) return std::nullopt;
  const double middle = median(ratios);
  constexpr double too_little = 0.05;
  if (middle >= too_little) return std::nullopt;
  return format(
      "input {} {}, and contributes {} times as much to its first layer as the layer's bias: {}",
      quote(layer.input), reach_of(input), rounded(middle), too_small());
}

const ValueRecord* seen(const Calibration& calibration, const std::string& name) {
  const ValueRecord* record = calibration.find(name);
  return record != nullptr && record->finite_count() > 0 ? record : nullptr;
}

}  // namespace

Finding judge_inputs(const Calibration& calibration, const InputEvidence& evidence) {
  const ModelEvidence& model_evidence = evidence.model_evidence;
  for (const ExpectedRange& range : model_evidence.ranges) {
    const ValueRecord* record = seen(calibration, range.input);
    if (record == nullptr) continue;
    if (Finding found = judge_range(range, *record)) return found;
  }
  for (const NormStatistics& norm : model_evidence.norms) {
    const ValueRecord* record = seen(calibration, norm.output);
    if (record == nullptr) continue;
    if (Finding found = judge_norm(norm, *record, calibration.samples().count())) return found;
  }
  for (const ExpectedRange& known : evidence.pictures) {
    const ValueRecord* record = seen(calibration, known.input);
    if (record == nullptr) continue;
    if (Finding found = judge_pictures(known, *record)) return found;
  }
  if (evidence.labels) {
    if (Finding found = judge_labels(*evidence.labels)) return found;
    if (can_judge(*evidence.labels)) return std::nullopt;
  }
  for (const BiasedLayer& layer : model_evidence.layers) {
    const ValueRecord* input = seen(calibration, layer.input);
    const ValueRecord* output = seen(calibration, layer.output);
    if (input == nullptr || output == nullptr) continue;
    if (Finding found = judge_layer(layer, *input, *output)) return found;
  }
  return std::nullopt;
}

}  // namespace ortool

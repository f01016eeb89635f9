// Equalization factors: each group is evaluated by its errors on the consuming products.
#include "libcore/quantize/refine/choose_factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "libcore/quantize/scheme/roles.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr double least_gain = 1.1;
/// Of the largest channel's range.
constexpr double least_share = 1.0 / 16;
constexpr double activation_levels = 255;
constexpr double weight_levels = 254;
/// Fractions of the range to keep, from which the least clipping plus rounding error is chosen.
constexpr double kept_shares[] = {1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4};

using Places = std::vector<std::size_t>;

/// A quantized value: the index of each of its channels in the group.
struct Reach {
  Places places;
  const ChannelSamples* samples;
};

/// A product that consumes a value of the group.
struct Reader {
  Places places;                   ///< by input channel
  std::vector<double> magnitudes;  ///< [output][input of its group]: the largest weight
  std::vector<double> squares;     ///< by input channel: the sum of squared weights
  std::vector<double> energy;      ///< by input channel: the mean square of the input
  std::size_t inputs = 0;          ///< per group
  std::size_t outputs = 0;         ///< per group
  double taps = 0;
  double signal = 0;
  bool is_per_channel = true;
};

/// A product that produces a value of the group; its weights share one scale.
struct Maker {
  Places places;                   ///< by output channel
  std::vector<double> magnitudes;  ///< by output channel: the largest weight
  double energy = 0;               ///< of all inputs of one output
};

double mean_square(const ChannelSamples& samples, std::size_t channel) {
  double sum = 0;
  for (std::size_t i = channel; i < samples.rows.size(); i += samples.channels())
    sum += static_cast<double>(samples.rows[i]) * static_cast<double>(samples.rows[i]);
  return samples.row_count() == 0 ? 0 : sum / static_cast<double>(samples.row_count());
}

/// One group with all values and products that determine its factors.
class GroupBalancer {
 public:
  explicit GroupBalancer(std::size_t classes)
      : importance_(classes), range_(classes), weight_(classes) {}

  void add(Reach reach) { values_.push_back(std::move(reach)); }
  void add(Reader reader) { readers_.push_back(std::move(reader)); }
  void add(Maker maker) { makers_.push_back(std::move(maker)); }

  void choose(BalanceGroup& group);

 private:
  void weigh_readers();
  void measure_ranges();
  double value_error(const Reach& value, const std::vector<double>& factors) const;
  double reader_error(const Reader& reader, const std::vector<double>& factors) const;
  double maker_error(const Maker& maker, const std::vector<double>& factors) const;
  double error_of(const std::vector<double>& factors) const;
  std::vector<double> factors_for(double alpha) const;

  std::vector<Reach> values_;
  std::vector<Reader> readers_;
  std::vector<Maker> makers_;
  std::vector<double> importance_;  ///< by index: how much an error there affects the consumers
  std::vector<double> range_;       ///< by index: relative to the largest
  std::vector<double> weight_;      ///< by index: relative to the largest
};

void GroupBalancer::weigh_readers() {
  for (const Reader& reader : readers_) {
    std::vector<double> most(reader.places.size());
    double highest = 0;
    for (std::size_t i = 0; i < reader.magnitudes.size(); ++i) {
      const std::size_t group = i / reader.inputs / reader.outputs;
      double& channel = most[group * reader.inputs + i % reader.inputs];
      channel = std::max(channel, reader.magnitudes[i]);
      highest = std::max(highest, channel);
    }
    for (std::size_t i = 0; i < reader.places.size(); ++i) {
      const std::size_t place = reader.places[i];
      importance_[place] += reader.squares[i] / reader.signal;
      weight_[place] = std::max(weight_[place], most[i] / highest);
    }
  }
}

void GroupBalancer::measure_ranges() {
  for (const Reach& value : values_) {
    const auto width = [&](std::size_t channel) {
      return static_cast<double>(value.samples->high[channel]) -
             static_cast<double>(value.samples->low[channel]);
    };
    double highest = 0;
    for (std::size_t i = 0; i < value.places.size(); ++i) highest = std::max(highest, width(i));
    for (std::size_t i = 0; highest > 0 && i < value.places.size(); ++i) {
      double& range = range_[value.places[i]];
      range = std::max(range, width(i) / highest);
    }
  }
}

/// The importance-weighted error of the sampled rows when quantized with these factors.
double GroupBalancer::value_error(const Reach& value, const std::vector<double>& factors) const {
  const ChannelSamples& samples = *value.samples;
  double low = 0;
  double high = 0;
  for (std::size_t i = 0; i < value.places.size(); ++i) {
    low = std::min(low, static_cast<double>(samples.low[i]) * factors[value.places[i]]);
    high = std::max(high, static_cast<double>(samples.high[i]) * factors[value.places[i]]);
  }
  if (high == low || samples.row_count() == 0) return 0;
  double least = std::numeric_limits<double>::infinity();
  double weighed = 0;
  for (const double share : kept_shares) {
    const double step = share * (high - low) / activation_levels;
    double plain = 0;
    double with_readers = 0;
    for (std::size_t i = 0; i < value.places.size(); ++i) {
      const double factor = factors[value.places[i]];
      double squares = 0;
      for (std::size_t k = i; k < samples.rows.size(); k += value.places.size()) {
        const double element = static_cast<double>(samples.rows[k]) * factor;
        const double held = std::clamp(element, share * low, share * high);
        const double error = std::nearbyint(held / step) * step - element;
        squares += error * error;
      }
      plain += squares;
      with_readers += squares * importance_[value.places[i]] / (factor * factor);
    }
    if (!(plain < least)) continue;
    least = plain;
    weighed = with_readers;
  }
  return weighed / static_cast<double>(samples.row_count());
}

double GroupBalancer::reader_error(const Reader& reader, const std::vector<double>& factors) const {
  double error = 0;
  double most_of_all = 0;
  double energy_of_all = 0;
  for (std::size_t output = 0; output * reader.inputs < reader.magnitudes.size(); ++output) {
    double most = 0;
    double energy = 0;
    for (std::size_t i = 0; i < reader.inputs; ++i) {
      const std::size_t channel = output / reader.outputs * reader.inputs + i;
      const double factor = factors[reader.places[channel]];
      most = std::max(most, reader.magnitudes[output * reader.inputs + i] / factor);
      energy += reader.energy[channel] * factor * factor;
    }
    error += most * most * energy;
    most_of_all = std::max(most_of_all, most);
    energy_of_all += energy;
  }
  if (!reader.is_per_channel) error = most_of_all * most_of_all * energy_of_all;
  return error * std::pow(2 / weight_levels, 2) / 12 * reader.taps / reader.signal;
}

double GroupBalancer::maker_error(const Maker& maker, const std::vector<double>& factors) const {
  double most = 0;
  double weighed = 0;
  for (std::size_t i = 0; i < maker.places.size(); ++i) {
    const double factor = factors[maker.places[i]];
    most = std::max(most, maker.magnitudes[i] * factor);
    weighed += importance_[maker.places[i]] / (factor * factor);
  }
  return std::pow(2 * most / weight_levels, 2) / 12 * maker.energy * weighed;
}

/// The expected squared error of all consumers, each relative to its own power.
double GroupBalancer::error_of(const std::vector<double>& factors) const {
  double error = 0;
  for (const Reach& value : values_) error += value_error(value, factors);
  for (const Reader& reader : readers_) error += reader_error(reader, factors);
  for (const Maker& maker : makers_) error += maker_error(maker, factors);
  return error;
}

/// Normalized to a geometric mean of 1.
std::vector<double> GroupBalancer::factors_for(double alpha) const {
  std::vector<double> factors(importance_.size(), 1);
  double logarithms = 0;
  double counted = 0;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (range_[i] == 0 || weight_[i] == 0) continue;
    const double range = std::max(range_[i], least_share);
    const double weight = std::max(weight_[i], least_share);
    factors[i] = std::pow(weight, 1 - alpha) / std::pow(range, alpha);
    logarithms += std::log(factors[i]);
    ++counted;
  }
  const double mean = counted == 0 ? 1 : std::exp(logarithms / counted);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const bool is_dead = range_[i] == 0 || weight_[i] == 0;
    factors[i] = is_dead ? 1 : factors[i] / mean;
  }
  return factors;
}

void GroupBalancer::choose(BalanceGroup& group) {
  if (values_.empty() || readers_.empty()) return;
  weigh_readers();
  measure_ranges();
  const double before = error_of(std::vector<double>(importance_.size(), 1));
  double least = before / least_gain;
  for (int tenth = 2; tenth <= 10; ++tenth) {
    const double alpha = tenth / 10.0;
    std::vector<double> factors = factors_for(alpha);
    const double error = error_of(factors);
    if (!(error < least)) continue;
    least = error;
    group.factors = std::move(factors);
    group.alpha = alpha;
    group.expected_gain = before / error;
    group.expected_relief = before - error;
  }
}

/// All groups by their classes.
class Balancer {
 public:
  Balancer(const ChannelLinks& links, const SamplesByValue& samples,
           const std::vector<BalanceGroup>& groups)
      : links_(links), samples_(samples) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      balancers_.emplace_back(groups[g].classes.size());
      for (std::size_t i = 0; i < groups[g].classes.size(); ++i)
        place_of_.emplace(groups[g].classes[i], Place{g, i});
    }
  }

  void add_value(const Value& value) {
    Places places;
    GroupBalancer* balancer = balancer_of(value, places);
    const ChannelSamples* samples = samples_of(value, places.size());
    if (balancer != nullptr && samples != nullptr) balancer->add(Reach{std::move(places), samples});
  }
  void add_product(const LinkedProduct& product, const PlannedNode& planned);
  GroupBalancer& at(std::size_t group) { return balancers_[group]; }

 private:
  struct Place {
    std::size_t group;
    std::size_t index;
  };

  GroupBalancer* balancer_of(const Value& value, Places& places);
  const ChannelSamples* samples_of(const Value& value, std::size_t count) const {
    const auto found = samples_.find(value.name());
    const bool fits = found != samples_.end() && found->second.channels() == count;
    return fits ? &found->second : nullptr;
  }

  const ChannelLinks& links_;
  const SamplesByValue& samples_;
  std::vector<GroupBalancer> balancers_;
  std::unordered_map<std::int64_t, Place> place_of_;
};

/// The value's group, with the index of each of its channels; null when one of them is fixed.
GroupBalancer* Balancer::balancer_of(const Value& value, Places& places) {
  std::size_t group = 0;
  for (const std::int64_t number : links_.classes_of(value)) {
    const auto found = place_of_.find(number);
    if (found == place_of_.end()) return nullptr;
    group = found->second.group;
    places.push_back(found->second.index);
  }
  return places.empty() ? nullptr : &balancers_[group];
}

void Balancer::add_product(const LinkedProduct& product, const PlannedNode& planned) {
  const WeightMatrix& matrix = product.matrix;
  const Tensor& weights = product.node->input(1)->constant();
  const Value& input = *product.node->input(0);
  const bool is_per_channel = planned.weight_axis.has_value();
  const ChannelSamples* read = samples_of(input, static_cast<std::size_t>(matrix.inputs()));
  if (read == nullptr) return;
  Reader reader;
  GroupBalancer* const behind = balancer_of(input, reader.places);
  double energy = 0;
  for (std::size_t i = 0; i < read->channels(); ++i) {
    reader.energy.push_back(mean_square(*read, i));
    energy += reader.energy.back();
  }
  reader.inputs = static_cast<std::size_t>(matrix.group_inputs());
  reader.outputs = static_cast<std::size_t>(matrix.group_outputs());
  reader.taps = static_cast<double>(matrix.taps());
  reader.squares.resize(read->channels());
  reader.is_per_channel = is_per_channel;
  for (std::int64_t output = 0; output < matrix.outputs(); ++output) {
    const std::int64_t first = output / matrix.group_outputs() * matrix.group_inputs();
    for (std::int64_t i = 0; i < matrix.group_inputs(); ++i) {
      double most = 0;
      double sum = 0;
      for (std::int64_t tap = 0; tap < matrix.taps(); ++tap) {
        const double weight = element_as_double(weights, matrix.index(output, i, tap));
        most = std::max(most, std::abs(weight));
        sum += weight * weight;
      }
      const auto channel = static_cast<std::size_t>(first + i);
      reader.magnitudes.push_back(most);
      reader.squares[channel] += sum;
      reader.signal += sum * reader.energy[channel];
    }
  }
  Maker maker;
  GroupBalancer* const before = balancer_of(*product.node->output(0), maker.places);
  if (before != nullptr && !is_per_channel) {
    maker.magnitudes = output_magnitudes(weights, matrix);
    maker.energy = energy / static_cast<double>(matrix.groups()) * reader.taps;
    before->add(std::move(maker));
  }
  if (behind != nullptr && reader.signal > 0) behind->add(std::move(reader));
}

}  // namespace

void choose_factors(const QuantizePlan& plan, const ChannelLinks& links,
                    const SamplesByValue& samples, std::vector<BalanceGroup>& groups) {
  Balancer balancer(links, samples, groups);
  for (const PlannedValue& planned : plan.values) balancer.add_value(*planned.value);
  std::unordered_map<const Node*, const PlannedNode*> products;
  for (const PlannedNode& planned : plan.nodes) {
    if (planned.is_quantized && planned.role == QuantizeRole::product)
      products.emplace(planned.node, &planned);
  }
  for (const LinkedProduct& product : links.products()) {
    const auto planned = products.find(product.node);
    if (planned != products.end()) balancer.add_product(product, *planned->second);
  }
  for (std::size_t g = 0; g < groups.size(); ++g) balancer.at(g).choose(groups[g]);
  std::erase_if(groups, [](const BalanceGroup& group) { return group.factors.empty(); });
}

}  // namespace ortool

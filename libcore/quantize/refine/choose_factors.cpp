// Equalization factors: each group is evaluated by its errors on the consuming products.
#include "libcore/quantize/refine/choose_factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "libcore/quantize/scheme/quantize_role.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr double min_gain = 1.1;
/// Of the largest channel's range.
constexpr double min_share = 1.0 / 16;
constexpr double activation_codes = 255;
constexpr double weight_codes = 254;
/// Fractions of the range to keep, from which the least clipping plus rounding error is chosen.
constexpr double kept_shares[] = {1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4};

using Places = std::vector<std::size_t>;

/// A quantized value: the index of each of its channels in the group.
struct GroupValue {
  Places places;
  const ChannelSamples* samples;
};

/// A product that consumes a value of the group.
struct Consumer {
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
struct Producer {
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

  void add(GroupValue reach) { values_.push_back(std::move(reach)); }
  void add(Consumer consumer) { consumers_.push_back(std::move(consumer)); }
  void add(Producer producer) { producers_.push_back(std::move(producer)); }

  void choose(BalanceGroup& group);

 private:
  void weigh_consumers();
  void measure_ranges();
  double value_error(const GroupValue& value, const std::vector<double>& factors) const;
  double consumer_error(const Consumer& consumer, const std::vector<double>& factors) const;
  double producer_error(const Producer& producer, const std::vector<double>& factors) const;
  double error_of(const std::vector<double>& factors) const;
  std::vector<double> factors_for(double alpha) const;

  std::vector<GroupValue> values_;
  std::vector<Consumer> consumers_;
  std::vector<Producer> producers_;
  std::vector<double> importance_;  ///< by index: how much an error there affects the consumers
  std::vector<double> range_;       ///< by index: relative to the largest
  std::vector<double> weight_;      ///< by index: relative to the largest
};

void GroupBalancer::weigh_consumers() {
  for (const Consumer& consumer : consumers_) {
    std::vector<double> most(consumer.places.size());
    double highest = 0;
    for (std::size_t i = 0; i < consumer.magnitudes.size(); ++i) {
      const std::size_t group = i / consumer.inputs / consumer.outputs;
      double& channel = most[group * consumer.inputs + i % consumer.inputs];
      channel = std::max(channel, consumer.magnitudes[i]);
      highest = std::max(highest, channel);
    }
    for (std::size_t i = 0; i < consumer.places.size(); ++i) {
      const std::size_t place = consumer.places[i];
      importance_[place] += consumer.squares[i] / consumer.signal;
      weight_[place] = std::max(weight_[place], most[i] / highest);
    }
  }
}

void GroupBalancer::measure_ranges() {
  for (const GroupValue& value : values_) {
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
double GroupBalancer::value_error(const GroupValue& value,
                                  const std::vector<double>& factors) const {
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
    const double step = share * (high - low) / activation_codes;
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

double GroupBalancer::consumer_error(const Consumer& consumer,
                                     const std::vector<double>& factors) const {
  double error = 0;
  double most_of_all = 0;
  double energy_of_all = 0;
  for (std::size_t output = 0; output * consumer.inputs < consumer.magnitudes.size(); ++output) {
    double most = 0;
    double energy = 0;
    for (std::size_t i = 0; i < consumer.inputs; ++i) {
      const std::size_t channel = output / consumer.outputs * consumer.inputs + i;
      const double factor = factors[consumer.places[channel]];
      most = std::max(most, consumer.magnitudes[output * consumer.inputs + i] / factor);
      energy += consumer.energy[channel] * factor * factor;
    }
    error += most * most * energy;
    most_of_all = std::max(most_of_all, most);
    energy_of_all += energy;
  }
  if (!consumer.is_per_channel) error = most_of_all * most_of_all * energy_of_all;
  return error * std::pow(2 / weight_codes, 2) / 12 * consumer.taps / consumer.signal;
}

double GroupBalancer::producer_error(const Producer& producer,
                                     const std::vector<double>& factors) const {
  double most = 0;
  double weighed = 0;
  for (std::size_t i = 0; i < producer.places.size(); ++i) {
    const double factor = factors[producer.places[i]];
    most = std::max(most, producer.magnitudes[i] * factor);
    weighed += importance_[producer.places[i]] / (factor * factor);
  }
  return std::pow(2 * most / weight_codes, 2) / 12 * producer.energy * weighed;
}

/// The expected squared error of all consumers, each relative to its own power.
double GroupBalancer::error_of(const std::vector<double>& factors) const {
  double error = 0;
  for (const GroupValue& value : values_) error += value_error(value, factors);
  for (const Consumer& consumer : consumers_) error += consumer_error(consumer, factors);
  for (const Producer& producer : producers_) error += producer_error(producer, factors);
  return error;
}

/// Normalized to a geometric mean of 1.
std::vector<double> GroupBalancer::factors_for(double alpha) const {
  std::vector<double> factors(importance_.size(), 1);
  double logarithms = 0;
  double counted = 0;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (range_[i] == 0 || weight_[i] == 0) continue;
    const double range = std::max(range_[i], min_share);
    const double weight = std::max(weight_[i], min_share);
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
  if (values_.empty() || consumers_.empty()) return;
  weigh_consumers();
  measure_ranges();
  const double before = error_of(std::vector<double>(importance_.size(), 1));
  double least = before / min_gain;
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
    if (balancer != nullptr && samples != nullptr)
      balancer->add(GroupValue{std::move(places), samples});
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
  Consumer consumer;
  GroupBalancer* const behind = balancer_of(input, consumer.places);
  double energy = 0;
  for (std::size_t i = 0; i < read->channels(); ++i) {
    consumer.energy.push_back(mean_square(*read, i));
    energy += consumer.energy.back();
  }
  consumer.inputs = static_cast<std::size_t>(matrix.group_inputs());
  consumer.outputs = static_cast<std::size_t>(matrix.group_outputs());
  consumer.taps = static_cast<double>(matrix.taps());
  consumer.squares.resize(read->channels());
  consumer.is_per_channel = is_per_channel;
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
      consumer.magnitudes.push_back(most);
      consumer.squares[channel] += sum;
      consumer.signal += sum * consumer.energy[channel];
    }
  }
  Producer producer;
  GroupBalancer* const before = balancer_of(*product.node->output(0), producer.places);
  if (before != nullptr && !is_per_channel) {
    producer.magnitudes = output_magnitudes(weights, matrix);
    producer.energy = energy / static_cast<double>(matrix.groups()) * consumer.taps;
    before->add(std::move(producer));
  }
  if (behind != nullptr && consumer.signal > 0) behind->add(std::move(consumer));
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

// Channel statistics: minimum and maximum over every element; rows at a regular stride.
#include "libcore/quantize/calibrate/channel_samples.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

namespace ortool {
namespace {

constexpr std::int64_t max_rows = 128;

/// A tensor viewed as [outer, channel, inner].
struct ChannelPlaces {
  std::int64_t outer;
  std::int64_t channels;
  std::int64_t inner;

  ChannelPlaces(const Shape& shape, std::int64_t axis)
      : outer(shape.product(0, axis)),
        channels(shape[axis]),
        inner(shape.product(axis + 1, shape.rank())) {}

  std::size_t index(std::int64_t place, std::int64_t channel) const {
    return static_cast<std::size_t>((place / inner * channels + channel) * inner + place % inner);
  }
};

class ChannelObserver : public SampleObserver {
 public:
  ChannelObserver(std::span<const ValueRequest> values, std::int64_t samples)
      : rows_a_sample_(std::max<std::int64_t>(max_rows / std::max<std::int64_t>(samples, 1), 1)) {
    for (const ValueRequest& value : values) axes_.emplace(value.name, *value.channel_axis);
  }

  void begin(std::int64_t number) override { sample_ = number; }
  void see(const Value& value, const RunValue& content) override {
    const auto wanted = axes_.find(value.name());
    if (wanted == axes_.end() || broken_.contains(wanted->first)) return;
    const bool fits = content.is_tensor() && content.tensor().type() == DataType::float32 &&
                      add(content.tensor(), wanted->second, samples_[wanted->first]);
    if (fits) return;
    broken_.insert(wanted->first);
    samples_.erase(wanted->first);
  }

  SamplesByValue take() { return std::move(samples_); }

 private:
  bool add(const Tensor& tensor, std::int64_t axis, ChannelSamples& samples) const {
    if (axis >= tensor.shape().rank()) return false;
    const ChannelPlaces places(tensor.shape(), axis);
    const auto channels = static_cast<std::size_t>(places.channels);
    if (samples.low.empty()) {
      samples.low.resize(channels);
      samples.high.resize(channels);
    }
    if (samples.low.size() != channels) return false;
    const std::span<const float> elements = tensor.data<float>();
    for (std::int64_t o = 0; o < places.outer; ++o) {
      for (std::int64_t c = 0; c < places.channels; ++c) {
        float& low = samples.low[static_cast<std::size_t>(c)];
        float& high = samples.high[static_cast<std::size_t>(c)];
        const float* run = elements.data() + (o * places.channels + c) * places.inner;
        for (std::int64_t i = 0; i < places.inner; ++i) {
          low = std::min(low, run[i]);
          high = std::max(high, run[i]);
        }
      }
    }
    const std::int64_t count = places.outer * places.inner;
    const std::int64_t step = std::max<std::int64_t>(count / rows_a_sample_, 1);
    constexpr std::int64_t far_apart = 7919;
    for (std::int64_t place = sample_ * far_apart % step; place < count; place += step) {
      for (std::int64_t c = 0; c < places.channels; ++c) {
        const float element = elements[places.index(place, c)];
        samples.rows.push_back(std::isfinite(element) ? element : 0);
      }
    }
    return true;
  }

  std::map<std::string, std::int64_t, std::less<>> axes_;
  std::int64_t rows_a_sample_;
  std::int64_t sample_ = 0;
  std::set<std::string, std::less<>> broken_;
  SamplesByValue samples_;
};

}  // namespace

SamplesByValue collect_channel_samples(const Session& session, std::span<const ValueRequest> values,
                                       FunctionRef<NamedValues(std::int64_t)> sample,
                                       const CollectOptions& options) {
  ChannelObserver observer(values, options.sample_count - options.first_sample);
  run_samples(session, observer, sample, options);
  return observer.take();
}

}  // namespace ortool

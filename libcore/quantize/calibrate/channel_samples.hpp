// What the channels of values reach, and some of their elements, channel beside channel.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/function_ref.hpp"
#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/calibrate/run_samples.hpp"

namespace ortool {

/// Of one value, over all samples.
struct ChannelSamples {
  std::vector<float> low;   ///< by channel, zero at most
  std::vector<float> high;  ///< zero at least
  std::vector<float> rows;  ///< [row][channel], what stands at one place of the other axes

  std::size_t channels() const { return low.size(); }
  std::size_t row_count() const { return low.empty() ? 0 : rows.size() / low.size(); }
};

/// Samples by the value's name.
using SamplesByValue = std::map<std::string, ChannelSamples, std::less<>>;

/// Runs `session` as collect() does and looks at the values asked for, each of which has a channel
/// axis. Some 128 rows are kept of each, spread over all samples. Values that are no tensors of
/// float32 or change their number of channels have none.
SamplesByValue collect_channel_samples(const Session& session, std::span<const ValueRequest> values,
                                       FunctionRef<NamedValues(std::int64_t)> sample,
                                       const CollectOptions& options);

}  // namespace ortool

// Per-channel ranges and sampled rows of values, for choosing equalization factors.
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

/// Statistics of one value over all samples.
struct ChannelSamples {
  std::vector<float> low;   ///< minimum by channel, at most zero
  std::vector<float> high;  ///< maximum by channel, at least zero
  std::vector<float> rows;  ///< [row][channel]: the elements at one position of the other axes

  std::size_t channels() const { return low.size(); }
  std::size_t row_count() const { return low.empty() ? 0 : rows.size() / low.size(); }
};

/// Samples by value name.
using SamplesByValue = std::map<std::string, ChannelSamples, std::less<>>;

/// Runs `session` as collect() does and samples the requested values, each of which has a channel
/// axis. About 128 rows per value are kept, spread evenly over all samples. Values that are not
/// float32 tensors, or whose number of channels changes, are left out.
SamplesByValue collect_channel_samples(const Session& session, std::span<const ValueRequest> values,
                                       FunctionRef<NamedValues(std::int64_t)> sample,
                                       const CollectOptions& options);

}  // namespace ortool

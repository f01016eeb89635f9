// Downsampling of sound: a Butterworth low-pass filter, then a windowed sinc, as
// onnxruntime-extensions has them.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Filters the samples in place: fourth order, half of the new rate as its limit.
void low_pass(std::vector<float>& samples, double rate, double new_rate);

/// How many samples remain.
std::int64_t downsampled_size(std::int64_t size, double rate, double new_rate);

/// Samples at the new rate, interpolated with a Kaiser window.
void downsample(const std::vector<float>& samples, double rate, double new_rate, float* out,
                Workers& workers);

}  // namespace ortool::cpu

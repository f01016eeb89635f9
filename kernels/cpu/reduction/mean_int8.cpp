// Global average pooling of int8: 32-bit sums over chunks that cannot overflow, then 64-bit sums.
#include "kernels/cpu/reduction/mean_int8.hpp"

#include <algorithm>
#include <cmath>

namespace ortool::cpu {

namespace {

constexpr std::int64_t channel_block = 16;
constexpr std::int64_t task_bytes = 32768;
/// The sum of this many bytes fits 32 bits.
constexpr std::int64_t stretch = std::int64_t{1} << 23;

std::int64_t sum_row(const std::uint8_t* in, std::int64_t count, std::uint8_t flip) {
  std::int64_t sum = 0;
  for (std::int64_t first = 0; first < count; first += stretch) {
    const std::int64_t behind = std::min(count, first + stretch);
    std::uint32_t part = 0;
    for (std::int64_t i = first; i < behind; ++i) part += static_cast<std::uint8_t>(in[i] ^ flip);
    sum += part;
  }
  return sum;
}

void sum_block(const std::uint8_t* in, std::int64_t pixels, std::uint8_t flip, std::int64_t* sums) {
  std::fill_n(sums, channel_block, std::int64_t{0});
  for (std::int64_t first = 0; first < pixels; first += stretch) {
    const std::int64_t behind = std::min(pixels, first + stretch);
    std::uint32_t parts[channel_block] = {};
    for (std::int64_t i = first; i < behind; ++i) {
      for (std::int64_t lane = 0; lane < channel_block; ++lane)
        parts[lane] += static_cast<std::uint8_t>(in[i * channel_block + lane] ^ flip);
    }
    for (std::int64_t lane = 0; lane < channel_block; ++lane) sums[lane] += parts[lane];
  }
}

std::uint8_t rounded_mean(const Int8Mean& mean, std::int64_t sum) {
  if (mean.pixels == 0) return static_cast<std::uint8_t>(mean.range.zero_point);
  const std::int64_t steps = sum - mean.pixels * mean.x.zero_point;
  const double exact = static_cast<double>(steps) * static_cast<double>(mean.x.scale) /
                       static_cast<double>(mean.pixels) / static_cast<double>(mean.y_scale);
  const double kept = std::clamp(std::nearbyint(exact), static_cast<double>(mean.range.low),
                                 static_cast<double>(mean.range.high));
  return static_cast<std::uint8_t>(static_cast<std::int32_t>(kept) + mean.range.zero_point);
}

}  // namespace

void int8_mean(const Int8Mean& mean, const std::uint8_t* in, std::uint8_t* out, Workers& workers) {
  const std::int64_t width = mean.is_blocked ? channel_block : 1;
  const std::int64_t groups = (mean.channels + width - 1) / width;
  const std::int64_t bytes = mean.pixels * width;
  const std::int64_t grain =
      std::max<std::int64_t>(1, task_bytes / std::max<std::int64_t>(1, bytes));
  workers.parallel_ranges(mean.batch * groups, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::uint8_t* from = in + i * bytes;
      if (!mean.is_blocked) {
        out[i] = rounded_mean(mean, sum_row(from, mean.pixels, mean.x.flip));
        continue;
      }
      std::int64_t sums[channel_block];
      sum_block(from, mean.pixels, mean.x.flip, sums);
      const std::int64_t first = i % groups * channel_block;
      std::uint8_t* to = out + i / groups * mean.channels + first;
      for (std::int64_t lane = 0; lane < std::min(channel_block, mean.channels - first); ++lane)
        to[lane] = rounded_mean(mean, sums[lane]);
    }
  });
}

}  // namespace ortool::cpu

// Lp and local response normalization: division by the norm of a slice or of adjacent channels.
#include <algorithm>
#include <cmath>

#include "kernels/cpu/isa/unary_f32.hpp"
#include "kernels/cpu/normalization/normalize.hpp"
#include "kernels/cpu/parallel/interruptible_loop.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t norm_task_elements = 16384;
constexpr std::int64_t norm_block = 512;

void float_row(Isa isa, UnaryOp op, float* values, std::int64_t count) {
  unary_f32_function(isa)(op, values, values, count, 0, 0);
}

}  // namespace

template <typename T>
void lp_normalization(const T* in, T* out, std::int64_t outer, std::int64_t axis,
                      std::int64_t inner, int p, Workers& workers) {
  const std::int64_t grain =
      std::max<std::int64_t>(1, norm_task_elements / std::max<std::int64_t>(1, axis));
  workers.parallel_ranges(outer * inner, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t slice = begin; slice < end; ++slice) {
      const std::int64_t first = slice / inner * axis * inner + slice % inner;
      double sum = 0;
      interruptible_loop(axis, workers, [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i) {
          const double x = static_cast<double>(in[first + i * inner]);
          sum += p == 1 ? std::abs(x) : x * x;
        }
      });
      const T norm = static_cast<T>(p == 1 ? sum : std::sqrt(sum));
      interruptible_loop(axis, workers, [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i) {
          const T x = in[first + i * inner];
          out[first + i * inner] = norm == T{0} ? T{0} : x / norm;
        }
      });
    }
  });
}

template void lp_normalization(const float* in, float* out, std::int64_t outer, std::int64_t axis,
                               std::int64_t inner, int p, Workers& workers);
template void lp_normalization(const double* in, double* out, std::int64_t outer, std::int64_t axis,
                               std::int64_t inner, int p, Workers& workers);

void local_response_normalization(const float* in, float* out, ChannelSizes sizes,
                                  LocalResponse response, Workers& workers, Isa isa) {
  const std::int64_t before = (response.size - 1) / 2;
  const std::int64_t after = response.size / 2;
  const float factor = response.alpha / static_cast<float>(response.size);
  const auto channel_block = [&](std::int64_t image, std::int64_t channel, std::int64_t first,
                                 std::int64_t width) {
    const float* base = in + image * sizes.channels * sizes.spatial + first;
    float powers[norm_block] = {};
    const std::int64_t end = std::min(channel + after + 1, sizes.channels);
    for (std::int64_t c = std::max<std::int64_t>(channel - before, 0); c < end; ++c) {
      const float* from = base + c * sizes.spatial;
      for (std::int64_t i = 0; i < width; ++i) powers[i] += from[i] * from[i];
    }
    for (std::int64_t i = 0; i < width; ++i) powers[i] = response.bias + factor * powers[i];
    float_row(isa, UnaryOp::log, powers, width);
    for (std::int64_t i = 0; i < width; ++i) powers[i] *= -response.beta;
    float_row(isa, UnaryOp::exp, powers, width);
    const float* from = base + channel * sizes.spatial;
    float* to = out + (from - in);
    for (std::int64_t i = 0; i < width; ++i) to[i] = from[i] * powers[i];
  };
  const std::int64_t grain =
      std::max<std::int64_t>(1, norm_task_elements / std::max<std::int64_t>(1, sizes.spatial));
  workers.parallel_ranges(
      sizes.batch * sizes.channels, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          for (std::int64_t first = 0; first < sizes.spatial; first += norm_block) {
            channel_block(row / sizes.channels, row % sizes.channels, first,
                          std::min(norm_block, sizes.spatial - first));
          }
        }
      });
}

}  // namespace ortool::cpu

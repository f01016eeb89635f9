// Normalizations in float64: moments by plain loops.
#include "kernels/cpu/normalization/normalize_f64.hpp"

#include <algorithm>
#include <cmath>

namespace ortool::cpu {
namespace {

constexpr std::int64_t f64_task_elements = 8192;

struct RowMoments {
  double mean = 0;
  double factor = 1;
};

RowMoments row_moments(const double* in, std::int64_t size, double epsilon, bool is_centered) {
  RowMoments result;
  const auto count = static_cast<double>(size);
  if (is_centered) {
    double sum = 0;
    for (std::int64_t i = 0; i < size; ++i) sum += in[i];
    result.mean = sum / count;
  }
  double squares = 0;
  for (std::int64_t i = 0; i < size; ++i) squares += (in[i] - result.mean) * (in[i] - result.mean);
  result.factor = 1 / std::sqrt(squares / count + epsilon);
  return result;
}

std::int64_t rows_of_task(std::int64_t size) {
  return std::max<std::int64_t>(1, f64_task_elements / std::max<std::int64_t>(1, size));
}

}  // namespace

void normalize_rows(const double* in, double* out, const DoubleRows& rows, float* means,
                    float* factors, Workers& workers) {
  workers.parallel_ranges(
      rows.rows, rows_of_task(rows.size), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          const double* from = in + row * rows.size;
          double* to = out + row * rows.size;
          const RowMoments moments = row_moments(from, rows.size, rows.epsilon, rows.is_centered);
          for (std::int64_t i = 0; i < rows.size; ++i)
            to[i] = (from[i] - moments.mean) * moments.factor;
          if (means != nullptr) means[row] = static_cast<float>(moments.mean);
          if (factors != nullptr) factors[row] = static_cast<float>(moments.factor);
        }
      });
}

void normalize_groups(const double* in, double* out, ChannelSizes sizes, std::int64_t groups,
                      const double* scale, const double* bias, bool scales_groups, double epsilon,
                      Workers& workers) {
  if (sizes.batch * sizes.channels * sizes.spatial == 0) return;
  const std::int64_t channels = sizes.channels / groups;
  const std::int64_t elements = channels * sizes.spatial;
  workers.parallel_ranges(
      sizes.batch * groups, rows_of_task(elements), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t task = begin; task < end; ++task) {
          const double* from = in + task * elements;
          double* to = out + task * elements;
          const std::int64_t group = task % groups;
          const RowMoments moments = row_moments(from, elements, epsilon, true);
          for (std::int64_t i = 0; i < elements; ++i) {
            const std::int64_t c = scales_groups ? group : group * channels + i / sizes.spatial;
            to[i] = (from[i] - moments.mean) * moments.factor * scale[c] + bias[c];
          }
        }
      });
}

void channel_moments(const double* in, ChannelSizes sizes, double* means, double* variances,
                     Workers& workers) {
  const std::int64_t elements = sizes.batch * sizes.spatial;
  const auto sum_over = [&](std::int64_t channel, const auto& term) {
    double sum = 0;
    for (std::int64_t image = 0; image < sizes.batch; ++image) {
      const double* from = in + (image * sizes.channels + channel) * sizes.spatial;
      for (std::int64_t i = 0; i < sizes.spatial; ++i) sum += term(from[i]);
    }
    return sum / static_cast<double>(elements);
  };
  workers.parallel_ranges(
      sizes.channels, rows_of_task(elements), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t c = begin; c < end; ++c) {
          const double mean = sum_over(c, [](double x) { return x; });
          means[c] = mean;
          variances[c] = sum_over(c, [mean](double x) { return (x - mean) * (x - mean); });
        }
      });
}

void batch_normalization(const double* in, double* out, ChannelSizes sizes,
                         const DoubleChannels& parameters, Workers& workers) {
  workers.parallel_ranges(
      sizes.batch * sizes.channels, rows_of_task(sizes.spatial),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          const std::int64_t c = row % sizes.channels;
          const double mean = parameters.mean[c];
          const double factor =
              parameters.scale[c] / std::sqrt(parameters.variance[c] + parameters.epsilon);
          const double bias = parameters.bias[c];
          for (std::int64_t i = row * sizes.spatial; i < (row + 1) * sizes.spatial; ++i)
            out[i] = (in[i] - mean) * factor + bias;
        }
      });
}

void local_response_normalization(const double* in, double* out, ChannelSizes sizes,
                                  LocalResponse response, Workers& workers) {
  const std::int64_t before = (response.size - 1) / 2;
  const std::int64_t after = response.size / 2;
  const double factor = static_cast<double>(response.alpha) / static_cast<double>(response.size);
  workers.parallel_ranges(
      sizes.batch * sizes.channels, rows_of_task(sizes.spatial),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          const std::int64_t c = row % sizes.channels;
          const std::int64_t first = std::max<std::int64_t>(c - before, 0) - c;
          const std::int64_t last = std::min(c + after, sizes.channels - 1) - c;
          for (std::int64_t i = row * sizes.spatial; i < (row + 1) * sizes.spatial; ++i) {
            double squares = 0;
            for (std::int64_t k = first; k <= last; ++k) {
              const double x = in[i + k * sizes.spatial];
              squares += x * x;
            }
            out[i] = in[i] * std::pow(static_cast<double>(response.bias) + factor * squares,
                                      -static_cast<double>(response.beta));
          }
        }
      });
}

}  // namespace ortool::cpu

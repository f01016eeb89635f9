// Downsampling: coefficients of the filter by the bilinear transform, and Kaiser windows.
#include "kernels/cpu/signal/downsample.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

namespace ortool::cpu {
namespace {

constexpr int order = 4;
using Polynomial = std::array<double, order + 1>;

/// A recursive filter: `feedback` begins with 1.
struct RecursiveFilter {
  Polynomial forward;
  Polynomial feedback;
};

/// Two poles of the filter, for a cutoff as a part of the sample rate.
struct SecondOrder {
  std::array<double, 3> forward;
  std::array<double, 3> feedback;
};

SecondOrder pole_pair(int pair, double cutoff) {
  const double angle = std::numbers::pi / (2 * order) + pair * std::numbers::pi / order;
  const double real = -std::cos(angle);
  const double imaginary = std::sin(angle);
  // A filter with the cutoff 1 in the plane of s, moved to that of z.
  const double t = 2 * std::tan(0.5);
  const double m = real * real + imaginary * imaginary;
  const double d = 4 - 4 * real * t + m * t * t;
  const double x = t * t / d;
  const double y1 = (8 - 2 * m * t * t) / d;
  const double y2 = (-4 - 4 * real * t - m * t * t) / d;
  // From that cutoff to the wanted one.
  const double half = std::numbers::pi * cutoff;
  const double k = std::sin(0.5 - half) / std::sin(0.5 + half);
  const double e = 1 + y1 * k - y2 * k * k;
  return {{(x - 2 * x * k + x * k * k) / e, (-2 * x * k + 2 * x + 2 * x * k * k - 2 * x * k) / e,
           (x * k * k - 2 * x * k + x) / e},
          {1, -(2 * k + y1 + y1 * k * k - 2 * y2 * k) / e, -(-k * k - y1 * k + y2) / e}};
}

Polynomial product(const Polynomial& a, const std::array<double, 3>& b) {
  Polynomial result = {};
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size() && j <= i; ++j) result[i] += a[i - j] * b[j];
  }
  return result;
}

RecursiveFilter butterworth(double cutoff) {
  RecursiveFilter filter = {{1}, {1}};
  for (int pair = 0; pair < order / 2; ++pair) {
    const SecondOrder poles = pole_pair(pair, cutoff);
    filter.forward = product(filter.forward, poles.forward);
    filter.feedback = product(filter.feedback, poles.feedback);
  }
  // Constant signals pass unchanged.
  const double gain = std::accumulate(filter.forward.begin(), filter.forward.end(), 0.0) /
                      std::accumulate(filter.feedback.begin(), filter.feedback.end(), 0.0);
  for (double& each : filter.forward) each /= gain;
  return filter;
}

constexpr double kaiser_beta = 6;

/// The modified Bessel function of order 0.
double bessel_i0(double x) {
  double sum = 0;
  double term = 1;
  for (double n = 1; term > 1e-8 * sum; ++n) {
    sum += term;
    term *= x * x / 4 / (n * n);
  }
  return sum;
}

std::vector<double> kaiser_window(std::int64_t length) {
  std::vector<double> window(static_cast<std::size_t>(length), 1.0);
  for (std::int64_t i = 0; i < length && length > 1; ++i) {
    const double x = 2.0 * static_cast<double>(i) / (static_cast<double>(length) - 1) - 1;
    window[static_cast<std::size_t>(i)] =
        bessel_i0(kaiser_beta * std::sqrt(std::max(0.0, 1 - x * x))) / bessel_i0(kaiser_beta);
  }
  return window;
}

float rate_factor(double rate, double new_rate) {
  return static_cast<float>(new_rate) / static_cast<float>(rate);
}

}  // namespace

void low_pass(std::vector<float>& samples, double rate, double new_rate) {
  const RecursiveFilter filter = butterworth(0.5 * new_rate / rate);
  Polynomial inputs = {};
  Polynomial outputs = {};
  for (float& sample : samples) {
    std::copy_backward(inputs.begin(), inputs.end() - 1, inputs.end());
    std::copy_backward(outputs.begin(), outputs.end() - 1, outputs.end());
    inputs[0] = sample;
    double y = filter.forward[0] * inputs[0];
    for (std::size_t i = 1; i < inputs.size(); ++i)
      y += filter.forward[i] * inputs[i] - filter.feedback[i] * outputs[i];
    outputs[0] = y;
    sample = static_cast<float>(y);
  }
}

std::int64_t downsampled_size(std::int64_t size, double rate, double new_rate) {
  return static_cast<std::int64_t>(
      std::ceil(static_cast<float>(size) * rate_factor(rate, new_rate)));
}

void downsample(const std::vector<float>& samples, double rate, double new_rate, float* out,
                Workers& workers) {
  const auto size = static_cast<std::int64_t>(samples.size());
  const float factor = rate_factor(rate, new_rate);
  const auto range =
      static_cast<std::int64_t>(std::ceil(kaiser_beta / (2 * static_cast<double>(factor))));
  const std::vector<double> whole = kaiser_window(std::min(2 * range + 1, size));
  workers.parallel_ranges(
      downsampled_size(size, rate, new_rate), 1024, [&](std::int64_t begin, std::int64_t end) {
        std::vector<double> shortened;
        for (std::int64_t i = begin; i < end; ++i) {
          const float place = static_cast<float>(i) / factor;
          const auto middle = std::min(static_cast<std::int64_t>(place), size - 1);
          const std::int64_t first = std::max<std::int64_t>(0, middle - range);
          const std::int64_t last = std::min(size - 1, middle + range);
          const std::int64_t length = last - first + 1;
          const std::vector<double>* window = &whole;
          if (length != static_cast<std::int64_t>(whole.size())) {
            if (length != static_cast<std::int64_t>(shortened.size()))
              shortened = kaiser_window(length);
            window = &shortened;
          }
          double sum = 0;
          for (std::int64_t j = first; j <= last; ++j) {
            const double distance = std::abs(static_cast<double>(static_cast<float>(j) - place));
            const double angle = std::numbers::pi * distance;
            const double sinc = distance < 1e-6 ? 1.0 : std::sin(angle) / angle;
            sum += samples[static_cast<std::size_t>(j)] *
                   ((*window)[static_cast<std::size_t>(j - first)] * sinc);
          }
          out[i] = static_cast<float>(sum);
        }
      });
}

}  // namespace ortool::cpu

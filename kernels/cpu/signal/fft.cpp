// FFT in Stockham order: each stage reads one pair of arrays and writes the other, so no reordering
// is needed.
#include "kernels/cpu/signal/fft.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ortool::cpu {
namespace {

constexpr std::int64_t largest_radix = 31;

/// Real and imaginary parts.
struct ComplexArrays {
  double* real;
  double* imaginary;
};

/// One stage: `length` values, in parts of `radix * rest` groups of `stride` adjacent values.
struct Stage {
  std::int64_t length;
  std::int64_t radix;
  std::int64_t rest;
  std::int64_t stride;
  const double* cosines;
  const double* sines;
};

void run_radix2(const Stage& stage, const ComplexArrays& from, const ComplexArrays& to) {
  const std::int64_t half = stage.stride * stage.rest;
  for (std::int64_t p = 0; p < stage.rest; ++p) {
    const double c = stage.cosines[p * stage.stride];
    const double s = stage.sines[p * stage.stride];
    const std::int64_t in = stage.stride * p;
    const std::int64_t out = 2 * stage.stride * p;
    for (std::int64_t q = 0; q < stage.stride; ++q) {
      const double ar = from.real[in + q];
      const double ai = from.imaginary[in + q];
      const double br = from.real[in + half + q];
      const double bi = from.imaginary[in + half + q];
      to.real[out + q] = ar + br;
      to.imaginary[out + q] = ai + bi;
      to.real[out + stage.stride + q] = (ar - br) * c - (ai - bi) * s;
      to.imaginary[out + stage.stride + q] = (ar - br) * s + (ai - bi) * c;
    }
  }
}

void run_radix4(const Stage& stage, const ComplexArrays& from, const ComplexArrays& to) {
  const std::int64_t quarter = stage.stride * stage.rest;
  for (std::int64_t p = 0; p < stage.rest; ++p) {
    const std::int64_t w = p * stage.stride;
    const double c1 = stage.cosines[w];
    const double s1 = stage.sines[w];
    const double c2 = stage.cosines[2 * w];
    const double s2 = stage.sines[2 * w];
    const double c3 = stage.cosines[3 * w];
    const double s3 = stage.sines[3 * w];
    const double* r = from.real + stage.stride * p;
    const double* i = from.imaginary + stage.stride * p;
    double* out_r = to.real + 4 * stage.stride * p;
    double* out_i = to.imaginary + 4 * stage.stride * p;
    for (std::int64_t q = 0; q < stage.stride; ++q) {
      const double sum_r = r[q] + r[2 * quarter + q];
      const double sum_i = i[q] + i[2 * quarter + q];
      const double difference_r = r[q] - r[2 * quarter + q];
      const double difference_i = i[q] - i[2 * quarter + q];
      const double odd_r = r[quarter + q] + r[3 * quarter + q];
      const double odd_i = i[quarter + q] + i[3 * quarter + q];
      // -i times the difference of the odd terms.
      const double rotated_r = i[quarter + q] - i[3 * quarter + q];
      const double rotated_i = r[3 * quarter + q] - r[quarter + q];
      const double b1r = difference_r + rotated_r;
      const double b1i = difference_i + rotated_i;
      const double b2r = sum_r - odd_r;
      const double b2i = sum_i - odd_i;
      const double b3r = difference_r - rotated_r;
      const double b3i = difference_i - rotated_i;
      out_r[q] = sum_r + odd_r;
      out_i[q] = sum_i + odd_i;
      out_r[stage.stride + q] = b1r * c1 - b1i * s1;
      out_i[stage.stride + q] = b1r * s1 + b1i * c1;
      out_r[2 * stage.stride + q] = b2r * c2 - b2i * s2;
      out_i[2 * stage.stride + q] = b2r * s2 + b2i * c2;
      out_r[3 * stage.stride + q] = b3r * c3 - b3i * s3;
      out_i[3 * stage.stride + q] = b3r * s3 + b3i * c3;
    }
  }
}

void run_any_radix(const Stage& stage, const ComplexArrays& from, const ComplexArrays& to) {
  const std::int64_t part = stage.stride * stage.rest;
  const std::int64_t turn = stage.length / stage.radix;
  for (std::int64_t p = 0; p < stage.rest; ++p) {
    for (std::int64_t k = 0; k < stage.radix; ++k) {
      const double c = stage.cosines[p * k * stage.stride];
      const double s = stage.sines[p * k * stage.stride];
      for (std::int64_t q = 0; q < stage.stride; ++q) {
        double sum_r = 0;
        double sum_i = 0;
        for (std::int64_t i = 0; i < stage.radix; ++i) {
          const std::int64_t w = i * k % stage.radix * turn;
          const double r = from.real[stage.stride * p + part * i + q];
          const double m = from.imaginary[stage.stride * p + part * i + q];
          sum_r += r * stage.cosines[w] - m * stage.sines[w];
          sum_i += r * stage.sines[w] + m * stage.cosines[w];
        }
        const std::int64_t out = stage.stride * (stage.radix * p + k) + q;
        to.real[out] = sum_r * c - sum_i * s;
        to.imaginary[out] = sum_r * s + sum_i * c;
      }
    }
  }
}

/// e^(-2 pi i k / length) with the angle reduced toward 0, where sine and cosine are most accurate.
void unit_root(std::int64_t k, std::int64_t length, double& real, double& imaginary) {
  const std::int64_t eighth = 8 * k / length;
  const double quarters = static_cast<double>((eighth + 1) / 2);
  const double angle = std::numbers::pi / 2 *
                       (4.0 * static_cast<double>(k) - quarters * static_cast<double>(length)) /
                       static_cast<double>(length);
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  switch ((eighth + 1) / 2 % 4) {
    case 0:
      real = c;
      imaginary = -s;
      return;
    case 1:
      real = -s;
      imaginary = -c;
      return;
    case 2:
      real = -c;
      imaginary = s;
      return;
    default:
      real = s;
      imaginary = c;
      return;
  }
}

void poll_at(std::int64_t k, const StopToken* stop) {
  if (stop != nullptr && k % 65536 == 0) stop->poll();
}

}  // namespace

Fft::Fft(std::int64_t length) : length_(length) {
  std::int64_t rest = std::max<std::int64_t>(1, length);
  while (rest % 4 == 0) {
    factors_.push_back(4);
    rest /= 4;
  }
  for (std::int64_t radix = 2; radix <= largest_radix; ++radix) {
    while (rest % radix == 0) {
      factors_.push_back(radix);
      rest /= radix;
    }
  }
  if (rest == 1) return;
  padded_ = 1;
  while (padded_ < 2 * length - 1) padded_ *= 2;
}

std::int64_t Fft::table_doubles() const {
  return is_smooth() ? 2 * length_ : 2 * length_ + 4 * padded_;
}

std::int64_t Fft::work_doubles() const {
  return is_smooth() ? 2 * length_ : 4 * padded_;
}

void Fft::fill_table(double* table, const StopToken* stop) const {
  if (is_smooth()) {
    for (std::int64_t k = 0; k < length_; ++k) {
      poll_at(k, stop);
      unit_root(k, length_, table[k], table[length_ + k]);
    }
    return;
  }
  // The chirp e^(-pi i k² / length), the inner transform's table, and the transformed filter.
  double* chirp_r = table;
  double* chirp_i = table + length_;
  std::int64_t square = 0;  // k² modulo twice the length
  for (std::int64_t k = 0; k < length_; ++k) {
    poll_at(k, stop);
    unit_root(square, 2 * length_, chirp_r[k], chirp_i[k]);
    square = (square + 2 * k + 1) % (2 * length_);
  }
  const Fft inner(padded_);
  double* inner_table = table + 2 * length_;
  inner.fill_table(inner_table, stop);
  double* filter_r = inner_table + 2 * padded_;
  double* filter_i = filter_r + padded_;
  std::fill(filter_r, filter_r + 2 * padded_, 0.0);
  for (std::int64_t k = 0; k < length_; ++k) {
    const std::int64_t mirror = k == 0 ? 0 : padded_ - k;
    filter_r[k] = filter_r[mirror] = chirp_r[k];
    filter_i[k] = filter_i[mirror] = -chirp_i[k];
  }
  std::vector<double> work(static_cast<std::size_t>(inner.work_doubles()));
  inner.run(inner_table, filter_r, filter_i, work.data(), stop);
}

void Fft::run(const double* table, double* real, double* imaginary, double* work,
              const StopToken* stop) const {
  if (is_smooth()) {
    run_smooth(table, real, imaginary, work, stop);
  } else {
    run_padded(table, real, imaginary, work, stop);
  }
}

void Fft::run_smooth(const double* table, double* real, double* imaginary, double* work,
                     const StopToken* stop) const {
  ComplexArrays from = {real, imaginary};
  ComplexArrays to = {work, work + length_};
  Stage stage = {length_, 1, length_, 1, table, table + length_};
  for (const std::int64_t radix : factors_) {
    poll_at(0, stop);
    stage.radix = radix;
    stage.rest /= radix;
    if (radix == 4) {
      run_radix4(stage, from, to);
    } else if (radix == 2) {
      run_radix2(stage, from, to);
    } else {
      run_any_radix(stage, from, to);
    }
    stage.stride *= radix;
    std::swap(from, to);
  }
  if (from.real == real) return;
  std::copy(from.real, from.real + length_, real);
  std::copy(from.imaginary, from.imaginary + length_, imaginary);
}

void Fft::run_padded(const double* table, double* real, double* imaginary, double* work,
                     const StopToken* stop) const {
  const double* chirp_r = table;
  const double* chirp_i = table + length_;
  const double* inner_table = table + 2 * length_;
  const double* filter_r = inner_table + 2 * padded_;
  const double* filter_i = filter_r + padded_;
  double* r = work;
  double* m = work + padded_;
  for (std::int64_t k = 0; k < length_; ++k) {
    r[k] = real[k] * chirp_r[k] - imaginary[k] * chirp_i[k];
    m[k] = real[k] * chirp_i[k] + imaginary[k] * chirp_r[k];
  }
  std::fill(r + length_, r + padded_, 0.0);
  std::fill(m + length_, m + padded_, 0.0);
  const Fft inner(padded_);
  inner.run(inner_table, r, m, work + 2 * padded_, stop);
  // The inverse is the same transform of the conjugate.
  for (std::int64_t k = 0; k < padded_; ++k) {
    const double product_r = r[k] * filter_r[k] - m[k] * filter_i[k];
    const double product_i = r[k] * filter_i[k] + m[k] * filter_r[k];
    r[k] = product_r;
    m[k] = -product_i;
  }
  inner.run(inner_table, r, m, work + 2 * padded_, stop);
  const double scale = 1.0 / static_cast<double>(padded_);
  for (std::int64_t k = 0; k < length_; ++k) {
    const double sum_r = r[k] * scale;
    const double sum_i = -m[k] * scale;
    real[k] = sum_r * chirp_r[k] - sum_i * chirp_i[k];
    imaginary[k] = sum_r * chirp_i[k] + sum_i * chirp_r[k];
  }
}

}  // namespace ortool::cpu

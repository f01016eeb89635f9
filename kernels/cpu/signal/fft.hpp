// Fourier transforms of any length in float64, for signals of any floating type.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/base/stop_token.hpp"

namespace ortool::cpu {

/// The discrete Fourier transform of complex numbers, by mixed radices; lengths with a prime factor
/// above 31 by Bluestein's convolution. Tables and scratch are the caller's, in float64. `stop` is
/// polled now and then; it may be null.
class Fft {
 public:
  explicit Fft(std::int64_t length);

  std::int64_t length() const { return length_; }
  std::int64_t table_doubles() const;
  void fill_table(double* table, const StopToken* stop = nullptr) const;
  std::int64_t work_doubles() const;
  /// In place: sums of number t times e^(-2 pi i k t / length). `work` holds work_doubles().
  void run(const double* table, double* real, double* imaginary, double* work,
           const StopToken* stop) const;

 private:
  bool is_smooth() const { return padded_ == 0; }
  void run_smooth(const double* table, double* real, double* imaginary, double* work,
                  const StopToken* stop) const;
  void run_padded(const double* table, double* real, double* imaginary, double* work,
                  const StopToken* stop) const;

  std::int64_t length_;
  std::vector<std::int64_t> factors_;
  std::int64_t padded_ = 0;  ///< the convolution's length, a power of two; 0: not needed
};

}  // namespace ortool::cpu

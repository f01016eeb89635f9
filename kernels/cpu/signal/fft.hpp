// FFT of any length in float64, for signals of any floating-point type.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/base/stop_token.hpp"

namespace ortool::cpu {

/// Discrete Fourier transform of complex numbers: mixed radix; lengths with a prime factor above 31
/// use Bluestein's algorithm. The caller provides tables and scratch, in float64. `stop` is polled
/// periodically and may be null.
class Fft {
 public:
  explicit Fft(std::int64_t length);

  std::int64_t length() const { return length_; }
  std::int64_t table_doubles() const;
  void fill_table(double* table, const StopToken* stop = nullptr) const;
  std::int64_t work_doubles() const;
  /// In place: output k is the sum over t of value t times e^(-2 pi i k t / length). `work` holds
  /// work_doubles().
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
  std::int64_t padded_ = 0;  ///< convolution length, a power of two; 0: not needed
};

}  // namespace ortool::cpu

// DFT and STFT: gathers lines and frames into float64, transforms them, and stores the results.
#include "kernels/cpu/signal/spectrum.hpp"

#include <algorithm>

#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

/// The scratch of one thread.
struct LineSpace {
  double* real;
  double* imaginary;
  double* work;

  LineSpace(const Fft& fft, std::byte* space)
      : real(reinterpret_cast<double*>(space)),
        imaginary(real + fft.length()),
        work(imaginary + fft.length()) {}
};

std::int64_t line_bytes(const Fft& fft) {
  return ((2 * fft.length() + fft.work_doubles()) * 8 + 63) / 64 * 64;
}

std::int64_t line_grain(const Fft& fft) {
  return std::max<std::int64_t>(1, 2048 / std::max<std::int64_t>(1, fft.length()));
}

/// Completes a half spectrum by conjugate symmetry; bins that mirror themselves are real.
void mirror(const Fft& fft, const LineSpace& line) {
  const std::int64_t length = fft.length();
  line.imaginary[0] = 0;
  if (length % 2 == 0) line.imaginary[length / 2] = 0;
  for (std::int64_t k = 1; k <= (length - 1) / 2; ++k) {
    line.real[length - k] = line.real[k];
    line.imaginary[length - k] = -line.imaginary[k];
  }
}

}  // namespace

std::int64_t spectrum_workspace_bytes(const Fft& fft, int threads) {
  return line_bytes(fft) * threads;
}

template <typename T>
void transform_lines(const SpectrumSizes& sizes, const Fft& fft, const double* table, const T* in,
                     T* out, void* workspace, int threads, Workers& workers) {
  const std::int64_t length = fft.length();
  const std::int64_t half = sizes.mirrored ? length / 2 + 1 : length;
  const std::int64_t taken = std::min(sizes.in, half);
  WorkspaceSlots slots(workspace, line_bytes(fft), threads);
  const auto run_line = [&](const LineSpace& line, const T* from, T* to) {
    for (std::int64_t k = 0; k < taken; ++k) {
      const T* number = from + k * sizes.inner * sizes.parts_in;
      line.real[k] = static_cast<double>(number[0]);
      line.imaginary[k] = sizes.parts_in == 2 ? static_cast<double>(number[1]) : 0.0;
    }
    std::fill(line.real + taken, line.real + length, 0.0);
    std::fill(line.imaginary + taken, line.imaginary + length, 0.0);
    if (sizes.mirrored) mirror(fft, line);
    // The inverse swaps real and imaginary parts, which conjugates before and after.
    double* real = sizes.inverse ? line.imaginary : line.real;
    double* imaginary = sizes.inverse ? line.real : line.imaginary;
    fft.run(table, real, imaginary, line.work, workers.stop());
    const double scale = sizes.inverse ? 1.0 / static_cast<double>(length) : 1.0;
    for (std::int64_t k = 0; k < sizes.out; ++k) {
      T* number = to + k * sizes.inner * sizes.parts_out;
      number[0] = static_cast<T>(line.real[k] * scale);
      if (sizes.parts_out == 2) number[1] = static_cast<T>(line.imaginary[k] * scale);
    }
  };
  workers.parallel_ranges(
      sizes.outer * sizes.inner, line_grain(fft), [&](std::int64_t begin, std::int64_t end) {
        const WorkspaceSlots::Lease lease(slots);
        const LineSpace line(fft, lease.data());
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t outer = i / sizes.inner;
          const std::int64_t inner = i % sizes.inner;
          run_line(line, in + (outer * sizes.in * sizes.inner + inner) * sizes.parts_in,
                   out + (outer * sizes.out * sizes.inner + inner) * sizes.parts_out);
        }
      });
}

template <typename T>
void transform_frames(const FrameSizes& sizes, const Fft& fft, const double* table, const T* signal,
                      const T* window, T* out, void* workspace, int threads, Workers& workers) {
  WorkspaceSlots slots(workspace, line_bytes(fft), threads);
  workers.parallel_ranges(
      sizes.batch * sizes.frames, line_grain(fft), [&](std::int64_t begin, std::int64_t end) {
        const WorkspaceSlots::Lease lease(slots);
        const LineSpace line(fft, lease.data());
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t first = i % sizes.frames * sizes.step;
          const T* from = signal + (i / sizes.frames * sizes.length + first) * sizes.parts;
          for (std::int64_t t = 0; t < fft.length(); ++t) {
            const double weight = window == nullptr ? 1.0 : static_cast<double>(window[t]);
            line.real[t] = weight * static_cast<double>(from[t * sizes.parts]);
            line.imaginary[t] =
                sizes.parts == 2 ? weight * static_cast<double>(from[t * 2 + 1]) : 0.0;
          }
          fft.run(table, line.real, line.imaginary, line.work, workers.stop());
          T* to = out + i * sizes.bins * 2;
          for (std::int64_t k = 0; k < sizes.bins; ++k) {
            to[2 * k] = static_cast<T>(line.real[k]);
            to[2 * k + 1] = static_cast<T>(line.imaginary[k]);
          }
        }
      });
}

#define ORTOOL_SPECTRUM(T)                                                                         \
  template void transform_lines(const SpectrumSizes&, const Fft&, const double*, const T*, T*,     \
                                void*, int, Workers&);                                             \
  template void transform_frames(const FrameSizes&, const Fft&, const double*, const T*, const T*, \
                                 T*, void*, int, Workers&);
ORTOOL_SPECTRUM(float)
ORTOOL_SPECTRUM(double)
#undef ORTOOL_SPECTRUM

}  // namespace ortool::cpu

// DFT along an axis, and STFT over overlapping frames of a signal.
#pragma once

#include <cstdint>

#include "kernels/cpu/signal/fft.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Lines along an axis of tensors [outer, axis, inner, parts]; parts are real and imaginary, or
/// real only.
struct SpectrumSizes {
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  std::int64_t in = 0;  ///< values per line; truncated or zero-padded to the transform's length
  std::int64_t out = 0;
  std::int64_t parts_in = 1;
  std::int64_t parts_out = 2;
  bool inverse = false;   ///< inverse transform, divided by the length
  bool mirrored = false;  ///< inverse: input is half a spectrum, completed by symmetry
};

/// Bytes of workspace for either, run by up to `threads` threads.
std::int64_t spectrum_workspace_bytes(const Fft& fft, int threads);

/// Transforms all lines in float64 and rounds once. T: float, double.
template <typename T>
void transform_lines(const SpectrumSizes& sizes, const Fft& fft, const double* table, const T* in,
                     T* out, void* workspace, int threads, Workers& workers);

/// Frames of signals [batch, length, parts]: each is multiplied by the window (null: none) and
/// transformed; the first `bins` bins are stored.
struct FrameSizes {
  std::int64_t batch = 0;
  std::int64_t length = 0;
  std::int64_t parts = 1;
  std::int64_t frames = 0;
  std::int64_t step = 0;
  std::int64_t bins = 0;
};

template <typename T>
void transform_frames(const FrameSizes& sizes, const Fft& fft, const double* table, const T* signal,
                      const T* window, T* out, void* workspace, int threads, Workers& workers);

}  // namespace ortool::cpu

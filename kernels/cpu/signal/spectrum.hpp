// Transforms of many signals: along an axis, or of the overlapping pieces of a signal.
#pragma once

#include <cstdint>

#include "kernels/cpu/signal/fft.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Lines along an axis of tensors [outer, axis, inner, parts]; parts are real and imaginary, or
/// real alone.
struct SpectrumSizes {
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  std::int64_t in = 0;  ///< numbers of a line; cut or filled with zeros to the transform's length
  std::int64_t out = 0;
  std::int64_t parts_in = 1;
  std::int64_t parts_out = 2;
  bool inverse = false;   ///< back, divided by the length
  bool mirrored = false;  ///< inverse: the input is half a spectrum, its rest the mirror image
};

/// Bytes of workspace for either, run by up to `threads` threads.
std::int64_t spectrum_workspace_bytes(const Fft& fft, int threads);

/// All lines, in float64, rounded once. T: float, double.
template <typename T>
void transform_lines(const SpectrumSizes& sizes, const Fft& fft, const double* table, const T* in,
                     T* out, void* workspace, int threads, Workers& workers);

/// Frames of signals [batch, length, parts]: each times the window (null: none), the first `bins`
/// of its transform.
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

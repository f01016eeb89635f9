// ai.onnx.contrib.StftNorm: the power spectrogram of a signal, as pre-processing of Whisper has it.
// https://github.com/microsoft/onnxruntime-extensions/blob/main/docs/custom_ops.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool::extensions {

/// Squared magnitudes, [1, bins, length / hop + 1], of Fourier transforms of n_fft numbers (input
/// 1) around every hop-th sample (input 2) of the signal, [1, length]. The middle of the window
/// (input 3) is at that sample; zeros surround the signal, and follow a window shorter than n_fft.
struct StftNorm {
  static const OpSchema schema;

  bool onesided = true;  ///< n_fft / 2 + 1 bins rather than n_fft

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool::extensions

// ai.onnx.contrib.AudioDecoder: a sound file to samples, as pre-processing of Whisper begins.
// https://github.com/microsoft/onnxruntime-extensions/blob/main/docs/custom_ops.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool::extensions {

/// Inputs: the bytes of a file, [n] or [1, n], and optionally the format's name ("wav", "flac",
/// "mp3"). Output: samples [1, m], those of several channels one after the other.
struct AudioDecoder {
  static const OpSchema schema;
  std::int64_t sample_rate = 0;  ///< of the output; 0: the file's
  bool mixes_channels = false;   ///< to one
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool::extensions

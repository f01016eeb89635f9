// SplitSignalSegments and MergeSignalSegments of ai.onnx.contrib: where a sound is loud, as voice
// detection begins.
// https://github.com/microsoft/onnxruntime-extensions/blob/main/docs/custom_ops.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool::extensions {

/// Begin and end in milliseconds [n, 2] of the runs of frames whose energy is above the median, and
/// above the largest energy by `energy_threshold_db`. Inputs: samples [1, length], their number a
/// second, and the length of frames and the step between them in milliseconds.
struct SplitSignalSegments {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Joins each segment [n, 2] to the one before if the gap between them is at most `merge_gap_ms`.
struct MergeSignalSegments {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool::extensions

// NMSRotated of MMDeploy: non-maximum suppression of rotated boxes, as detectors of aerial images
// and texts have it.
// https://github.com/open-mmlab/mmdeploy/blob/main/docs/en/06-custom-ops/onnxruntime.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: boxes [N, B, 5] (center, width, height, angle in radians) and scores [N, C, B]. Output:
/// image, class and box of the kept ones [n, 3], the best of a class first.
struct NmsRotated {
  static const OpSchema schema;
  float iou_threshold = 0;    ///< a box whose overlap is above it is dropped
  float score_threshold = 0;  ///< scores are above it
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

// EfficientNMS_TRT: TensorRT's non-maximum suppression at the end of detectors (YOLO "end2end").
// https://github.com/NVIDIA/TensorRT/tree/main/plugin/efficientNMSPlugin
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: boxes [N, B, 4] or [N, B, C, 4], scores [N, B, C], and optionally anchors [1 or N, B, 4]
/// that the boxes refine. Outputs: the number of detections [N, 1], and their boxes [N, M, 4] as
/// corners, scores [N, M] and classes [N, M], filled up with zeros.
struct EfficientNms {
  enum class Coding { corners, center_and_size };

  float score_threshold = 0.25F;
  float iou_threshold = 0.5F;
  std::int64_t most = 100;       ///< detections of an image
  std::int64_t background = -1;  ///< the class that is never detected; -1: none
  bool applies_sigmoid = false;  ///< scores are logits
  bool ignores_classes = false;  ///< boxes suppress those of other classes too
  Coding coding = Coding::corners;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

// The operator as it stands in files: in TensorRT's domain, in the one that ONNX Runtime gives its
// plugins, and without a domain.
struct EfficientNmsOfTrt : EfficientNms {
  static const OpSchema schema;
};
struct EfficientNmsOfPlugins : EfficientNms {
  static const OpSchema schema;
};
struct EfficientNmsWithoutDomain : EfficientNms {
  static const OpSchema schema;
};

}  // namespace ortool

// EfficientNMS_ONNX_TRT: TensorRT's non-maximum suppression with the indices of ONNX's
// NonMaxSuppression as its result.
// https://github.com/NVIDIA/TensorRT/tree/main/plugin/efficientNMSPlugin
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: boxes [N, B, 4] or [N, B, C, 4] and scores [N, B, C]. Output: image, class and box of
/// the detections [N * most, 3], image after image; the last one is repeated, and without any all
/// are -1.
struct OnnxEfficientNms {
  float score_threshold = 0.5F;
  float iou_threshold = 0.5F;
  std::int64_t most = 0;         ///< detections of an image
  bool center_and_size = false;  ///< boxes are not corners
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

// The operator in the domains that files name.
struct OnnxEfficientNmsOfTrt : OnnxEfficientNms {
  static const OpSchema schema;
};
struct OnnxEfficientNmsOfPlugins : OnnxEfficientNms {
  static const OpSchema schema;
};
struct OnnxEfficientNmsWithoutDomain : OnnxEfficientNms {
  static const OpSchema schema;
};

}  // namespace ortool

// BatchedNMS_TRT and MMDeploy's TRTBatchedNMS: non-maximum suppression class by class, then the
// best detections of each image.
// https://github.com/NVIDIA/TensorRT/tree/main/plugin/batchedNMSPlugin
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// What the two operators have in common. Inputs: boxes [N, B, 1 or C, 4] and scores [N, B, C].
struct ClasswiseNms {
  float score_threshold = 0;
  float iou_threshold = 0;
  std::int64_t most_of_class = -1;  ///< candidates of a class; negative: all
  std::int64_t most = -1;           ///< detections of an image; negative: as many as boxes
  std::int64_t classes = 0;
  std::int64_t background = -1;
  bool is_normalized = true;       ///< otherwise boxes are in pixels, and contain their last ones
  bool counts_last_pixels = true;  ///< when not normalized, also in the overlap of two boxes
  bool clips_boxes = true;         ///< to [0, 1]

  /// The number of detections of an image.
  Dimension detections(const InferContext& context) const;
  void check_operands(const InferContext& context) const;
};

/// Outputs: the number of detections [N, 1], boxes [N, M, 4], scores [N, M], and classes [N, M] as
/// floats, filled up with zeros, and with -1 for classes.
struct BatchedNms : ClasswiseNms {
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Outputs: boxes with scores [N, M, 5], classes [N, M] and, if `returns_index`, the indices of the
/// boxes [N, M]; filled up with zeros and with -1.
struct TrtBatchedNms : ClasswiseNms {
  static const OpSchema schema;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

// BatchedNMS_TRT and, for dynamic batches, BatchedNMSDynamic_TRT as they stand in files.
struct BatchedNmsOfTrt : BatchedNms {
  static const OpSchema schema;
};
struct BatchedNmsOfPlugins : BatchedNms {
  static const OpSchema schema;
};
struct BatchedNmsWithoutDomain : BatchedNms {
  static const OpSchema schema;
};
struct BatchedNmsDynamicOfTrt : BatchedNms {
  static const OpSchema schema;
};
struct BatchedNmsDynamicOfPlugins : BatchedNms {
  static const OpSchema schema;
};
struct BatchedNmsDynamicWithoutDomain : BatchedNms {
  static const OpSchema schema;
};

}  // namespace ortool

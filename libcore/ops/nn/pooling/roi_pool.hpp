// MaxRoiPool and RoiAlign: pool regions of interest to a fixed size.
// https://onnx.ai/onnx/operators/onnx__MaxRoiPool.html
// https://onnx.ai/onnx/operators/onnx__RoiAlign.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// The maximum of each bin of a region.
struct MaxRoiPool {
  static const OpSchema schema;

  std::int64_t height = 1;  ///< of the output
  std::int64_t width = 1;
  float spatial_scale = 1;  ///< from region to image coordinates

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The mean or maximum of interpolated samples in each bin of a region.
struct RoiAlign {
  static const OpSchema schema;

  enum class Mode { average, maximum };

  Mode mode = Mode::average;
  std::int64_t height = 1;  ///< of the output
  std::int64_t width = 1;
  std::int64_t sampling_ratio = 0;  ///< samples for each bin and axis; 0: by the region's size
  float spatial_scale = 1;          ///< from region to image coordinates
  bool shifts_half_a_pixel = true;  ///< before version 16: never

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

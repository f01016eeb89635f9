// MaxRoiPool and RoiAlign: what an image holds in each of some regions, at a fixed size.
// https://onnx.ai/onnx/operators/onnx__MaxRoiPool.html
// https://onnx.ai/onnx/operators/onnx__RoiAlign.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// The largest element of each part of a region.
struct MaxRoiPool {
  static const OpSchema schema;

  std::int64_t height = 1;  ///< of the output
  std::int64_t width = 1;
  float spatial_scale = 1;  ///< from a region's coordinates to the image's

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Interpolated samples of each part of a region, averaged or their largest.
struct RoiAlign {
  static const OpSchema schema;

  enum class Mode { average, maximum };

  Mode mode = Mode::average;
  std::int64_t height = 1;  ///< of the output
  std::int64_t width = 1;
  std::int64_t sampling_ratio = 0;  ///< samples a part and axis; 0: by the region's size
  float spatial_scale = 1;          ///< from a region's coordinates to the image's
  bool shifts_half_a_pixel = true;  ///< before version 16 it never did

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

// Resize and Upsample: resample a tensor along its axes by interpolation.
// https://onnx.ai/onnx/operators/onnx__Resize.html
// https://onnx.ai/onnx/operators/onnx__Upsample.html
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

/// Common form of all versions of both operators.
struct Resampling {
  enum class Mode { nearest, linear, cubic };
  /// The transform from output to input coordinates.
  enum class Coordinates {
    half_pixel,
    half_pixel_symmetric,
    pytorch_half_pixel,
    align_corners,
    asymmetric,
    tf_half_pixel_for_nn,
    tf_crop_and_resize,
  };
  enum class Nearest {
    round_prefer_floor,
    round_prefer_ceil,
    floor,
    ceil,
    outward,  ///< before opset 11: ceil along an axis that shrinks, floor along others
  };
  enum class AspectRatio { stretch, not_larger, not_smaller };

  Mode mode = Mode::nearest;
  Coordinates coordinates = Coordinates::half_pixel;
  Nearest nearest = Nearest::round_prefer_floor;
  float cubic_coeff_a = -0.75F;
  bool exclude_outside = false;
  float extrapolation_value = 0;
  bool antialias = false;
  AspectRatio aspect_ratio = AspectRatio::stretch;
  std::optional<std::vector<std::int64_t>> axes;  ///< absent: all axes, in order
  ValueOrInput<std::vector<float>> scales;
  std::int64_t roi_input = -1;
  std::int64_t sizes_input = -1;

  /// A present input may be an empty vector, which versions 11 and 13 treat as absent.
  void infer(InferContext& context) const;
};

struct Resize : Resampling {
  static const OpSchema schema;
  void read(AttributeReader& attributes, int version);
};

/// The predecessor of Resize, which only enlarges and uses asymmetric coordinates.
struct Upsample : Resampling {
  static const OpSchema schema;
  void read(AttributeReader& attributes, int version);
};

}  // namespace ortool

// Cast, CastLike: elements turned to another type.
// https://onnx.ai/onnx/operators/onnx__Cast.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// What both share.
struct Conversion {
  enum class RoundMode { up, down, nearest };

  bool saturate = true;                  ///< to 8-bit floats: too big becomes the biggest
  RoundMode round_mode = RoundMode::up;  ///< to float8e8m0
  /// From a float to a packed integer type: since 24 what does not fit wraps, before it became the
  /// nearest end.
  bool wraps = true;

  void read_rounding(AttributeReader& attributes, int version);
};

struct Cast : Conversion {
  static const OpSchema schema;

  DataType to = DataType::undefined;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

struct CastLike : Conversion {
  static const OpSchema schema;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

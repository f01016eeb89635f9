// Cast, CastLike: conversion to another element type.
// https://onnx.ai/onnx/operators/onnx__Cast.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Attributes common to both.
struct Conversion {
  enum class RoundMode { up, down, nearest };

  bool saturate = true;                  ///< to float8: clamps to the largest finite value
  RoundMode round_mode = RoundMode::up;  ///< to float8e8m0
  /// From floats to packed integer types: since version 24, values out of range wrap around;
  /// before, they were clamped.
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

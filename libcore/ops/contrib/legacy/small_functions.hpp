// com.microsoft.ScaledSiLU, IsAllFinite and UnfoldTensor (sliding slices of an axis).
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// z sigmoid(z), where z = scale * x; the scale is an input or an attribute.
struct ScaledSiLU {
  static const OpSchema schema;

  float alpha = 1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Whether no element of any input is infinite or NaN.
struct IsAllFinite {
  static const OpSchema schema;

  bool ignores_infinity = false;
  bool ignores_nan = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// All slices of `size` elements along an axis, `step` apart; the slice becomes the last axis.
struct UnfoldTensor {
  static const OpSchema schema;

  std::int64_t axis = -1;
  std::int64_t size = 1;
  std::int64_t step = 1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

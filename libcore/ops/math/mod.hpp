// Mod: the remainder of a division, with the sign of the divisor or (fmod) of the dividend.
// https://onnx.ai/onnx/operators/onnx__Mod.html
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Mod {
  static const OpSchema schema;

  bool sign_of_dividend = false;  ///< as fmod in C

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

// DFT: the discrete Fourier transform along one axis, forward or inverse.
// https://onnx.ai/onnx/operators/onnx__DFT.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

/// The last dimension of input and output holds the real and imaginary parts, or the real part
/// alone.
struct DFT {
  static const OpSchema schema;

  ValueOrInput<std::int64_t> axis;  ///< always present; before version 20 an attribute
  bool inverse = false;
  /// Uses the non-redundant half of the spectrum: the input or, for the inverse, the output is
  /// real.
  bool onesided = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

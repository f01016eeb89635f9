// DFT: the discrete Fourier transform along one axis, forth or back.
// https://onnx.ai/onnx/operators/onnx__DFT.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

/// The last dimension of input and output holds real and imaginary part, or the real part alone.
struct DFT {
  static const OpSchema schema;

  ValueOr<std::int64_t> axis;  ///< never left out; before version 20 an attribute
  bool inverse = false;
  /// Half the spectrum stands for the rest: real numbers in, or, backwards, out.
  bool onesided = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

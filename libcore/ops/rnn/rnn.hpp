// RNN: the simple (Elman) recurrent layer with one gate.
// https://onnx.ai/onnx/operators/onnx__RNN.html
#pragma once

#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/rnn/recurrent.hpp"

namespace ortool {

struct RNN : RecurrentLayer {
  static const OpSchema schema;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

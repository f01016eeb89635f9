// com.microsoft.QOrderedAttention and QOrderedLongformerAttention: attention whose projections,
// scores and weights are int8.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: x and its scale; scales of queries, keys and values; three matrices, stored by columns;
/// their scales; three biases; scales of the scores, of their softmax and of the result; a mask.
struct QOrderedAttention {
  static const OpSchema schema;
  std::int64_t heads = 1;
  bool is_causal = false;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Inputs: x, weights of queries, keys and values stored by columns, biases in units of the
/// projection's scale, a mask, the same for global tokens, and their flags; each with a scale.
struct QOrderedLongformerAttention {
  static const OpSchema schema;
  std::int64_t heads = 1;
  std::int64_t window = 1;  ///< tokens on each side
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

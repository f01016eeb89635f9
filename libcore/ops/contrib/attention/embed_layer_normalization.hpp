// com.microsoft.EmbedLayerNormalization and QEmbedLayerNormalization: the normalized sum of
// embeddings of words, positions and segments, from tables of floats or of 8-bit integers.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Outputs: the normalized sum, the number of words by batch, and the sum.
struct ContribEmbedLayerNormalization {
  static const OpSchema schema;

  float epsilon = 0;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Further inputs are the scales and zero points of the tables, gamma and beta.
struct QEmbedLayerNormalization {
  static const OpSchema schema;

  float epsilon = 0;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

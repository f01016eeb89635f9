// ortool.SkipLayerNormalization: the sum of two tensors, and its last axes normalised. The session
// makes such nodes; no file holds them.
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Y = LayerNormalization(A + B, Scale, Bias), Sum = A + B; A and B have one shape.
struct SkipLayerNormalization {
  static const OpSchema schema;

  std::int64_t axis = -1;  ///< the first of the normalised axes
  float epsilon = 1e-5F;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

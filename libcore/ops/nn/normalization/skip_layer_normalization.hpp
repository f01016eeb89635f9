// ortool.SkipLayerNormalization: fused addition and layer normalization. Created by sessions; never
// stored in files.
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Y = LayerNormalization(A + B, Scale, Bias), Sum = A + B; A and B have the same shape.
struct SkipLayerNormalization {
  static const OpSchema schema;

  std::int64_t axis = -1;  ///< the first normalized axis
  float epsilon = 1e-5F;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

// ortool.EmbedLayerNormalization: fused embedding lookup, addition and layer normalization. Created
// by sessions and by `--target ortool`.
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Sum = a + b (+ c), Y = LayerNormalization(Sum, Scale, Bias) along the last axis. Each of a, b
/// and c is either Gather(table, indices) on a table of rank 2 or, without indices, the table
/// itself, of any rank above 0. They are broadcast as by Add and agree in the last dimension.
struct EmbedLayerNormalization {
  static const OpSchema schema;

  static constexpr std::int64_t first_table = 2;  ///< the input that holds a's table
  static constexpr std::int64_t max_terms = 3;

  float epsilon = 1e-5F;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

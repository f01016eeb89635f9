// com.microsoft.WordConvEmbedding: embeddings of words by a convolution over their characters.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// The maximum over a word's windows of tanh(W * characters + B). Inputs: words as rows of
/// character ids, 0 past a word's end; filters W M x 1 x window x size; B; and the characters'
/// vectors C. A word whose first id is 0 has the embedding 0.
struct WordConvEmbedding {
  static const OpSchema schema;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;

  std::int64_t filters = 0;      ///< 0: as many as W has
  std::int64_t window = 0;       ///< 0: that of W
  std::int64_t vector_size = 0;  ///< 0: that of C
};

}  // namespace ortool

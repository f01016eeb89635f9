// com.microsoft.NGramRepeatBlock: forbids tokens that would repeat an n-gram.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: input_ids [batch, length] and scores [batch, vocabulary]. The scores of tokens that
/// would complete an n-gram that a row already has become -inf.
struct NGramRepeatBlock {
  static const OpSchema schema;

  std::int64_t ngram_size = 1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

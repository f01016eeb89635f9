// com.microsoft.BifurcationDetector: accepts predicted tokens as long as they copy the source
// (aggressive decoding), and finds where the source goes on.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: src_tokens, cur_tokens, prev_suffix_match_idx and optionally pred_tokens.
struct BifurcationDetector {
  static const OpSchema schema;

  std::int64_t min_ngram_size = 1;
  std::int64_t max_ngram_size = 3;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

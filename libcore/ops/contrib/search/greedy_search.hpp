// com.microsoft.GreedySearch and Sampling: one sequence per row over a decoder body.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/contrib/search/search_bodies.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// The token with the highest score in each step. Inputs: input_ids, max_length, min_length,
/// repetition_penalty, vocab_mask, prefix_vocab_mask and attention_mask.
struct GreedySearch : SearchBodies {
  static const OpSchema schema;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// A token drawn from those that make up `top_p` of the probability. Inputs: those of GreedySearch,
/// presence_mask and seed.
struct Sampling : GreedySearch {
  static const OpSchema schema;

  float temperature = 1.0F;
  float top_p = 0.0F;
  float filter_value = -1e20F;
  std::int64_t min_tokens_to_keep = 0;
  float presence_penalty = 0.0F;
  /// The most probable tokens are kept from the top, and always the first; otherwise the least
  /// probable are dropped from below.
  bool keeps_from_top = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

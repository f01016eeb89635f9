// com.microsoft.NGramHashMapping and VarlenNGramHashMapping: hashes of the n-grams that end at each
// token, as indices into embedding tables.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: ids [batch, length], a multiplier for each position of an n-gram, a table size for each
/// head, the ids before these, an offset for each head, the id that ends a sequence, and segments
/// [batch, length]. Outputs: hashes [batch, length, heads], and the last ids. Heads of n-grams of 2
/// come first.
struct NGramHashMapping {
  static const OpSchema schema;

  std::int64_t longest = 2;  ///< n-grams have 2 to this many ids
  std::int64_t heads = 1;    ///< for each length
  std::int64_t pad = 0;      ///< stands for ids before the first, unless an id that ends is given
  bool resets_at_end = false;

  std::int64_t hash_count() const { return (longest - 1) * heads; }

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Of packed sequences: the ids are a vector, whose bounds are an input, as are the segments of the
/// ids before these, and how many states of each sequence are captured. Outputs also: segments of
/// the last ids, and the last ids after each of the first ids, sequences x capacity x longest - 1.
struct VarlenNGramHashMapping : NGramHashMapping {
  static const OpSchema schema;

  std::int64_t capacity = 0;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

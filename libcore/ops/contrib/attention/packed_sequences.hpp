// com.microsoft's operators on packed sequences, which lie one behind the other without padding:
// RemovePadding, RestorePadding, PackedAttention and PackedMultiHeadAttention.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: batch x length x width, and the number of tokens of each row. Outputs: the tokens, the
/// places of tokens and then of padding in the flattened input, the sums of the numbers before each
/// row and of all, and the largest number.
struct RemovePadding {
  static const OpSchema schema;

  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Inputs: tokens x width, and the places that RemovePadding gives. Output: batch x length x width,
/// with zeros for padding.
struct RestorePadding {
  static const OpSchema schema;

  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// Attention of each sequence to itself, from a projection of tokens x width.
struct PackedAttention {
  static const OpSchema schema;

  std::int64_t heads = 1;
  std::int64_t value_width = 0;  ///< of all heads; 0: a third of the projection

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Attention of each sequence to itself, from queries, keys and values: tokens x width each, or one
/// tensor tokens x heads x 3 x size.
struct PackedMultiHeadAttention {
  static const OpSchema schema;

  std::int64_t heads = 1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

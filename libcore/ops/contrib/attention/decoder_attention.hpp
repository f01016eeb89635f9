// com.microsoft.DecoderAttention and DecoderMaskedSelfAttention: attention of decoders that project
// their input themselves and keep keys and values.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: length x batch x width for queries and for the keys of cross-attention, two weights and
/// a bias, a mask of keys that is true for padding, caches batch x heads x length x size, and four
/// booleans, which say where keys and values come from. Outputs: as the queries, and the caches.
struct DecoderAttention {
  static const OpSchema schema;

  std::int64_t heads = 1;
  float mask_filter = 0;  ///< added to the scores of padding

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Attention of one token with a cache 2 x batch x heads x length x size. A cache that is shared by
/// past and present holds `past_sequence_length` tokens, and has the elements of a key in groups of
/// 16 bytes: the first group of all tokens, then the next. Keys may come from other beams.
struct DecoderMaskedSelfAttention {
  static const OpSchema schema;

  std::int64_t heads = 1;
  bool shares_buffer = false;

  /// The elements of such a group.
  static std::int64_t key_group(DataType element) { return element == DataType::float32 ? 4 : 8; }

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

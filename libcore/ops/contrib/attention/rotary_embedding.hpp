// com.microsoft.RotaryEmbedding and MRotaryEmbedding: rotary position embedding of whole heads or
// their first elements, by one position a token or by three (multimodal).
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <array>
#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: the heads, packed or not, positions of each token or of the first one alone, cosines and
/// sines.
struct ContribRotaryEmbedding {
  static const OpSchema schema;

  bool interleaved = false;       ///< pairs are adjacent elements, not half a head apart
  std::int64_t heads = 0;         ///< of packed inputs; 0: the caches' width tells
  std::int64_t rotated_size = 0;  ///< 0: all

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The same with positions 3 x batch x length: time, height and width.
struct MRotaryEmbedding : ContribRotaryEmbedding {
  static const OpSchema schema;

  /// Whether angles of height and width take turns with those of time, rather than follow them.
  bool takes_turns = false;
  std::array<std::int64_t, 3> sections = {};  ///< angles of time, height and width

  /// Which of the three positions an angle is for.
  std::int64_t stream_of(std::int64_t angle) const;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// com.microsoft.GemmaRotaryEmbedding: queries and keys, each with its rotated copy, times the
/// cosines and sines of angles.
struct GemmaRotaryEmbedding {
  static const OpSchema schema;

  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool

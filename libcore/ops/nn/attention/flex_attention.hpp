// FlexAttention: attention with subgraphs that modify scores and weights.
// https://onnx.ai/onnx/operators/onnx_ai_onnx_preview_FlexAttention.html
#pragma once

#include <optional>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

inline constexpr const char* preview_domain = "ai.onnx.preview";

struct FlexAttention {
  static const OpSchema schema;

  std::optional<float> scale;  ///< absent: 1 / sqrt(head size)
  std::optional<DataType> softmax_precision;
  const Graph* change_scores = nullptr;   ///< before the softmax; null: none
  const Graph* change_weights = nullptr;  ///< after the softmax; null: none

  /// The type of scores and weights, for queries of that type.
  DataType score_type(DataType element) const;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

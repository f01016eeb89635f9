// Attention: scaled dot-product attention, with multiple heads.
// https://onnx.ai/onnx/operators/onnx__Attention.html
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Attention {
  static const OpSchema schema;

  /// The stage of the score computation that the fourth output returns.
  enum class Scores { product, capped, masked, weights };

  bool is_causal = false;
  std::int64_t query_heads = 0;   ///< for packed inputs (rank 3); 0 if they have a head axis
  std::int64_t shared_heads = 0;  ///< the same for keys and values
  std::optional<float> scale;     ///< absent: 1 / sqrt(head size)
  float softcap = 0;              ///< 0: disabled
  Scores scores = Scores::product;
  std::optional<DataType> softmax_precision;
  std::int64_t left_window = -1;  ///< visible positions before the query's own; -1: unlimited
  std::int64_t right_window = -1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

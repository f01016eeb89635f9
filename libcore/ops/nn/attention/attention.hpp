// Attention: values weighted by how well their keys go with each query.
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

  /// What the fourth output holds of the way to the weights.
  enum class Scores { product, capped, masked, weights };

  bool is_causal = false;
  std::int64_t query_heads = 0;   ///< of packed inputs (rank 3); 0 where they have an axis for them
  std::int64_t shared_heads = 0;  ///< the same of keys and values
  std::optional<float> scale;     ///< none: one over the root of the head's size
  float softcap = 0;              ///< 0: none
  Scores scores = Scores::product;
  std::optional<DataType> softmax_precision;
  std::int64_t left_window = -1;  ///< positions before a query's own that it sees; -1: all
  std::int64_t right_window = -1;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

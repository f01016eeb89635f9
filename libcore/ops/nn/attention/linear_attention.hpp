// LinearAttention: attention with a recurrent state of one matrix for each head.
// https://onnx.ai/onnx/operators/onnx__LinearAttention.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct LinearAttention {
  static const OpSchema schema;

  /// How a step updates the state: by addition, with decay, by the delta rule, or both.
  enum class Rule { linear, gated, delta, gated_delta };

  Rule rule = Rule::gated_delta;
  std::int64_t query_heads = 1;
  std::int64_t shared_heads = 1;  ///< for keys, values and states
  float scale = 0;                ///< 0: 1 / sqrt(key size)

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;

 protected:
  /// Everything but the heads.
  void read_rule(AttributeReader& attributes);
};

}  // namespace ortool

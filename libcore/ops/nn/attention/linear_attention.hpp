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
  /// Whether there may be fewer heads of queries and of keys than of values and states.
  bool shares_keys = false;
  /// How many states the state holds along a leading axis, the newest last; 0: one, without axis.
  std::int64_t state_window = 0;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;

  /// The heads of keys of `size` elements in `width`. Throws ErrorCode::invalid if they cannot be
  /// shared by those of values.
  std::int64_t key_heads(std::int64_t width, std::int64_t size) const;

 protected:
  /// Everything but the heads.
  void read_rule(AttributeReader& attributes);
};

}  // namespace ortool

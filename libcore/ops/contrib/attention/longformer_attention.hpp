// com.microsoft.LongformerAttention: attention to a window around each token and to a few global
// tokens, which attend to all.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: batch x length x width, weights and biases of queries, keys and values, a mask batch x
/// length that is below 0 for padding, weights and biases for global tokens, and their flags.
struct LongformerAttention {
  static const OpSchema schema;

  /// What the operator and its form in int8 have in common: the positions of the operands.
  struct Operands {
    std::int64_t heads;
    std::int64_t window;
    std::int64_t weight;
    std::int64_t bias;
    std::int64_t mask;
    std::int64_t global_weight;
    std::int64_t global_bias;
    std::int64_t global;
  };
  static void check_operands(const InferContext& context, const Operands& operands);

  std::int64_t heads = 1;
  std::int64_t window = 1;  ///< tokens on each side

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

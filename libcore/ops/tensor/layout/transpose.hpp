// Transpose: permutes the dimensions.
// https://onnx.ai/onnx/operators/onnx__Transpose.html
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Transpose {
  static const OpSchema schema;

  std::optional<std::vector<std::int64_t>> permutation;  ///< absent: reverses the dimensions

  /// The input axis of each output axis. Throws when the permutation does not match the rank.
  std::vector<std::int64_t> order(std::int64_t rank) const;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

// Split: splits a tensor into pieces along an axis.
// https://onnx.ai/onnx/operators/onnx__Split.html
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

struct Split {
  static const OpSchema schema;

  std::int64_t axis = 0;
  ValueOrInput<std::vector<std::int64_t>> sizes;  ///< omitted: equal pieces, as the version defines
  std::optional<std::int64_t> pieces;             ///< since 18: the last piece may be smaller

  /// The sizes of `count` pieces of a dimension when `sizes` is omitted.
  std::vector<std::int64_t> even_sizes(std::int64_t dimension, std::int64_t count) const;

  /// The sizes of the pieces of input 0 along an axis of size `dimension`.
  Dimensions piece_sizes(const InferContext& context, const Dimension& dimension,
                         std::int64_t count) const;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

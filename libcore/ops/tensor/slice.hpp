// Slice: a part of a tensor, with a start, an end and a step for each sliced axis.
// https://onnx.ai/onnx/operators/onnx__Slice.html
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

struct Slice {
  static const OpSchema schema;

  using Integers = std::vector<std::int64_t>;

  ValueOrInput<Integers> starts;
  ValueOrInput<Integers> ends;
  ValueOrInput<Integers> axes;   ///< omitted: the first axes
  ValueOrInput<Integers> steps;  ///< omitted: 1

  /// The elements taken along one axis: `count` elements from `start`, `step` apart.
  struct Range {
    std::int64_t start = 0;
    std::int64_t step = 1;
    std::int64_t count = 0;
  };
  /// Ends may be out of range; negative ones count from the end. Throws for a step of 0.
  static Range range(std::int64_t dimension, std::int64_t start, std::int64_t end,
                     std::int64_t step);
  /// The ranges of all axes of `shape`. Empty `axes` and `steps` denote omitted ones.
  static std::vector<Range> ranges(const Shape& shape, const Integers& starts, const Integers& ends,
                                   const std::optional<Integers>& axes,
                                   const std::optional<Integers>& steps);

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

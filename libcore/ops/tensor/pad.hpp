// Pad: adds elements around a tensor, or crops it with negative pads.
// https://onnx.ai/onnx/operators/onnx__Pad.html
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

struct Pad {
  static const OpSchema schema;

  enum class Mode { constant, reflect, edge, wrap };

  Mode mode = Mode::constant;
  ValueOrInput<std::vector<std::int64_t>> pads;  ///< all leading pads, then all trailing ones
  ValueOrInput<std::vector<std::int64_t>> axes;  ///< omitted: all axes
  float value = 0;                               ///< before opset 11; later input 2

  /// Leading and trailing pads of each axis.
  struct Edges {
    std::vector<std::int64_t> begins;
    std::vector<std::int64_t> ends;
  };
  static Edges edges(std::int64_t rank, const std::vector<std::int64_t>& pads,
                     const std::optional<std::vector<std::int64_t>>& axes);

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

// Pad: elements put around a tensor, or with negative pads taken away.
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
  ValueOr<std::vector<std::int64_t>> pads;  ///< all begins, then all ends
  ValueOr<std::vector<std::int64_t>> axes;  ///< left out: all
  float value = 0;                          ///< before opset 11, later input 2

  /// Begin and end of every axis.
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

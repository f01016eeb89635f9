// com.microsoft.QLinearAveragePool, QLinearGlobalAveragePool and QLinearReduceMean: means of
// quantized elements.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/ops/nn/pooling/pool.hpp"

namespace ortool {

/// Inputs: an operand with scale and zero point, and those of the result.
struct QLinearAveragePool : AveragePool {
  static const OpSchema schema;

  bool channels_last = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

struct QLinearGlobalAveragePool {
  static const OpSchema schema;

  bool channels_last = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

struct QLinearReduceMean {
  static const OpSchema schema;

  std::vector<std::int64_t> axes;  ///< empty: all
  bool keep_dimensions = true;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// The shape with its last axis moved behind the first, or the other way round.
PartialShape with_channels_second(PartialShape shape);
PartialShape with_channels_last(PartialShape shape);

/// The shape of a reduction to size 1 of these axes (empty: all), which are kept or removed.
PartialShape reduced_shape(const PartialShape& shape, const std::vector<std::int64_t>& axes,
                           bool keep_dimensions);

}  // namespace ortool

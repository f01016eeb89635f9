// Reductions along axes: ReduceSum, ReduceMean, ReduceMax …
// https://onnx.ai/onnx/operators/onnx__ReduceSum.html
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

/// Common base of the ten operators.
struct Reduction {
  ValueOrInput<std::vector<std::int64_t>> axes;  ///< omitted or empty: all axes
  bool keep_dimensions = true;                   ///< with size 1
  bool nothing_when_empty = false;               ///< noop_with_empty_axes

  /// The axes that `given` denotes, in increasing order. Throws for axes out of range.
  std::vector<std::int64_t> reduced_axes(std::int64_t rank,
                                         const std::vector<std::int64_t>& given) const;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
  /// Sets the single output element when all input elements are known and all axes are reduced.
  void combine_all(InferContext& context, ElementOp op) const;
};

struct ReduceL1 : Reduction {
  static const OpSchema schema;
};
struct ReduceL2 : Reduction {
  static const OpSchema schema;
};
struct ReduceLogSum : Reduction {
  static const OpSchema schema;
};
struct ReduceLogSumExp : Reduction {
  static const OpSchema schema;
};
struct ReduceMax : Reduction {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct ReduceMean : Reduction {
  static const OpSchema schema;
};
struct ReduceMin : Reduction {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct ReduceProd : Reduction {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct ReduceSum : Reduction {
  static const OpSchema schema;
  void infer(InferContext& context) const;
};
struct ReduceSumSquare : Reduction {
  static const OpSchema schema;
};

}  // namespace ortool

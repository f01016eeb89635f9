// ReduceSum, ReduceMean, ReduceMax …: the elements along some axes made one number.
// https://onnx.ai/onnx/operators/onnx__ReduceSum.html
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/value_or.hpp"

namespace ortool {

/// What the ten share.
struct Reduction {
  ValueOr<std::vector<std::int64_t>> axes;  ///< left out or empty: all of them
  bool keep_dimensions = true;              ///< as 1
  bool nothing_when_empty = false;          ///< no axes given reduce nothing instead

  /// The axes that `given` reduce, in rising order. Throws for axes outside the rank.
  std::vector<std::int64_t> reduced_axes(std::int64_t rank,
                                         const std::vector<std::int64_t>& given) const;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
  /// Tells the output's element where all known elements are made one.
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

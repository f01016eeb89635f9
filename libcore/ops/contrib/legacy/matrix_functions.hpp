// com.microsoft.Inverse, CDist (distances between rows of two matrices), SparseToDenseMatMul and
// GemmFastGelu.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// The inverses of the square matrices in the last two axes.
struct Inverse {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

/// The distance of each row of A from each row of B.
struct CDist {
  static const OpSchema schema;

  /// Distances that are sums, or functions of sums, over the elements of both rows.
  enum class Metric {
    squared_euclidean,
    euclidean,
    cityblock,
    chebyshev,
    canberra,
    bray_curtis,
    cosine,
    hamming,
  };

  Metric metric = Metric::squared_euclidean;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// alpha * A' * B', where A, a sparse matrix, is stored densely.
struct SparseToDenseMatMul {
  static const OpSchema schema;

  float alpha = 1;
  bool transpose_a = false;
  bool transpose_b = false;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Gelu(X * W + bias) by the approximation with tanh.
struct GemmFastGelu {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool

// com.microsoft.MatMulBnb4: matrix product with weights in bitsandbytes' FP4 or NF4.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: A, the codes of a matrix n x k, and the largest value of each block of its elements.
struct MatMulBnb4 {
  static const OpSchema schema;

  std::int64_t k = 0;
  std::int64_t n = 0;
  std::int64_t block_size = 0;
  bool is_nf4 = false;     ///< else FP4
  bool transposes = true;  ///< multiplies by the transposed matrix, k x n

  std::int64_t depth() const { return transposes ? k : n; }
  std::int64_t columns() const { return transposes ? n : k; }
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

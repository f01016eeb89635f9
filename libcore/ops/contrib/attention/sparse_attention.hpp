// com.microsoft.SparseAttention: grouped-query attention within a causal mask of blocks.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Head h has layout h modulo the number of layouts; each is a block mask in CSR form.
struct SparseAttention {
  static const OpSchema schema;

  std::int64_t query_heads = 0;
  std::int64_t shared_heads = 0;
  std::int64_t block_size = 0;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

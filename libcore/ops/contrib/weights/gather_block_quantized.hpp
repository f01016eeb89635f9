// com.microsoft.GatherBlockQuantized: Gather from block-quantized data, dequantized.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// Inputs: data, indices, scales and optionally zero points. Indices outside the axis give zeros.
struct GatherBlockQuantized {
  static const OpSchema schema;

  std::int64_t gather_axis = 0;
  std::int64_t quantize_axis = 1;
  std::int64_t block_size = 128;  ///< 0: the whole axis (float8 and float4 only)
  std::int64_t bits = 4;          ///< of uint8 data, packed along the last axis

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

// LRN: local response normalization, which divides by a power of a sum over adjacent channels.
// https://onnx.ai/onnx/operators/onnx__LRN.html
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct LRN {
  static const OpSchema schema;

  float alpha = 1e-4F;
  float beta = 0.75F;
  float bias = 1.0F;
  std::int64_t size = 1;  ///< channels in the sum: floor((size - 1) / 2) before, ceil after

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

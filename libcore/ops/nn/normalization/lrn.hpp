// LRN: local response normalisation, each value divided by a power of its neighbour channels' sum.
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
  std::int64_t size = 1;  ///< channels summed: floor((size - 1) / 2) before, ceil of it behind

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

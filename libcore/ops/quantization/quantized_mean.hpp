// ortool.QuantizedMean: quantized global average pooling with 8-bit elements. Created by sessions;
// stored only in files that target ortool.
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct QuantizedMean {
  static const OpSchema schema;

  std::int64_t low = 0;  ///< lower bound of the quantized result
  std::int64_t high = 255;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

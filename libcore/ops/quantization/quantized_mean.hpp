// ortool.QuantizedMean: the mean of each channel's pixels, of bytes that stand for floats. Sessions
// make such nodes; no file but those for ortool alone holds them.
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct QuantizedMean {
  static const OpSchema schema;

  std::int64_t low = 0;  ///< the least byte of the result
  std::int64_t high = 255;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

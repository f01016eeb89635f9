// ortool.QuantizedBinary: a sum, difference or product of bytes that stand for floats, as bytes.
// The session makes such nodes; no file holds them.
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct QuantizedBinary {
  static const OpSchema schema;

  enum class Operation { add, subtract, multiply };

  Operation operation = Operation::add;
  std::int64_t low = 0;  ///< bounds of the result's bytes, as the numbers they are
  std::int64_t high = 255;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

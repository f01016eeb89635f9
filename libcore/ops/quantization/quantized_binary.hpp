// ortool.QuantizedBinary: quantized addition, subtraction or multiplication with 8-bit elements.
// Created by sessions; never stored in files.
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
  std::int64_t low = 0;  ///< bounds of the quantized result, as integers
  std::int64_t high = 255;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

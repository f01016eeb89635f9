// Imputer: replaces one value, which marks missing data, by another.
// https://onnx.ai/onnx/operators/onnx_aionnxml_Imputer.html
#pragma once

#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Imputer {
  static const OpSchema schema;

  bool is_integer = false;    ///< selects the integer or the float fields
  float replaced_number = 0;  ///< NaN matches every NaN
  std::int64_t replaced_integer = 0;
  std::vector<float> numbers;  ///< one for all features, or one for each
  std::vector<std::int64_t> integers;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

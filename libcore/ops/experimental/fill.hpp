// ConstantFill and GivenTensorFill, removed in ONNX 1.5: tensors with given elements.
// https://github.com/onnx/onnx/blob/v1.4.1/docs/Operators.md
#pragma once

#include <optional>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// The source of the shape: the attribute, the input's shape, or the input's value.
struct FillShape {
  std::optional<std::vector<std::int64_t>> shape;
  bool is_input_value = false;
  std::vector<std::int64_t> more;  ///< dimensions appended to those of the input

  PartialShape infer(const InferContext& context) const;
};

/// All elements have the same value.
struct ConstantFill {
  static const OpSchema schema;
  FillShape fill;
  float value = 0;
  DataType element = DataType::float32;  ///< float32, int32, int64 or bool
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// Each element is given separately.
struct GivenTensorFill {
  static const OpSchema schema;
  FillShape fill;
  std::vector<float> values;
  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool

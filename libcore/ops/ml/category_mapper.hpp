// CategoryMapper: maps strings to integers, or back, by a table.
// https://onnx.ai/onnx/operators/onnx_aionnxml_CategoryMapper.html
#pragma once

#include <string>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// The direction of the mapping follows from the input's type.
struct CategoryMapper {
  static const OpSchema schema;

  std::vector<std::int64_t> integers;
  std::vector<std::string> strings;  ///< same length and order
  std::int64_t default_integer = -1;
  std::string default_string = "_Unused";

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

/// string for an int64 input, int64 for a string input, undefined for an unknown one.
DataType mapped_label_type(DataType input);

}  // namespace ortool

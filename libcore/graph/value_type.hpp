// The type of a value: tensor, sequence, optional or map, with as much shape as is known.
#pragma once

#include <memory>
#include <string>

#include "libcore/graph/dimension.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool {

/// ONNX's TypeProto as a plain value.
struct ValueType {
  enum class Kind { unknown, tensor, sparse_tensor, sequence, optional, map, opaque };

  Kind kind = Kind::unknown;
  DataType element = DataType::undefined;  ///< of a tensor, or the key of a map
  PartialShape shape;                      ///< of a tensor
  std::shared_ptr<const ValueType> inner;  ///< element of a sequence or optional, value of a map
  std::string denotation;

  static ValueType tensor(DataType element, PartialShape shape = std::nullopt);
  static ValueType sequence(ValueType element);
  static ValueType optional(ValueType element);
  /// A map whose keys are `key` (int64 or string) and whose values are tensors' elements.
  static ValueType map(DataType key, DataType value);

  bool is_tensor() const { return kind == Kind::tensor; }
  /// "float32[batch x 3]", "sequence(int64[?])", "unknown".
  std::string to_string() const;
};

}  // namespace ortool

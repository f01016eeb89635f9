// The type of a value: tensor, sequence, optional or map, with as much shape as is known.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/dimension.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool {

struct TypeExtras;

/// ONNX's TypeProto as a plain value.
struct ValueType {
  enum class Kind { unknown, tensor, sparse_tensor, sequence, optional, map, opaque };

  Kind kind = Kind::unknown;
  DataType element = DataType::undefined;  ///< of a tensor, or the key of a map
  PartialShape shape;                      ///< of a tensor
  Dimension rank_cause;                    ///< unknown: why there is no shape, or not even a kind
  std::shared_ptr<const ValueType> inner;  ///< element of a sequence or optional, value of a map
  std::string denotation;
  std::shared_ptr<const TypeExtras> extras;  ///< null: the members above say it all

  static ValueType tensor(DataType element, PartialShape shape = std::nullopt);
  static ValueType sequence(ValueType element);
  static ValueType optional(ValueType element);
  /// A map whose keys are `key` (int64 or string) and whose values are tensors' elements.
  static ValueType map(DataType key, DataType value);

  bool is_tensor() const { return kind == Kind::tensor; }
  /// Why something of the type is not known: the name of the node that data decides for, or other
  /// words. Empty when all of it is known, or nobody said.
  const std::string& unknown_because() const;
  /// "float32[batch x 3]", "sequence(int64[?])", "unknown".
  std::string to_string() const;

  /// The same meaning; `extras` are passed over.
  bool operator==(const ValueType& other) const;
};

/// What a file's type holds beyond that.
struct TypeExtras {
  std::vector<std::string> dimension_denotations;  ///< a text a dimension, or none at all
  ValueType as_read;
  /// The type in the file, to be written while the type is `as_read`; bytes that the model keeps.
  std::span<const std::byte> bytes;
};

}  // namespace ortool

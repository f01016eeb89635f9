// ValueType: a tensor, sequence, optional or map type, with its shape as far as known.
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
  DataType element = DataType::undefined;  ///< element type of a tensor, or key type of a map
  PartialShape shape;                      ///< for a tensor
  Dimension rank_cause;                    ///< unknown: why the shape, or even the kind, is unknown
  std::shared_ptr<const ValueType> inner;  ///< element of a sequence or optional, value of a map
  std::string denotation;
  std::shared_ptr<const TypeExtras> extras;  ///< null: the members above are complete

  static ValueType tensor(DataType element, PartialShape shape = std::nullopt);
  static ValueType sequence(ValueType element);
  static ValueType optional(ValueType element);
  /// A map with keys of type `key` (int64 or string) and scalar values of type `value`.
  static ValueType map(DataType key, DataType value);

  bool is_tensor() const { return kind == Kind::tensor; }
  /// Why a part of the type is unknown: the name of the data-dependent node, or other text. Empty
  /// if all of it is known, or the cause was not recorded.
  const std::string& unknown_because() const;
  /// "float32[batch x 3]", "sequence(int64[?])", "unknown".
  std::string to_string() const;

  /// Whether both mean the same; ignores `extras`.
  bool operator==(const ValueType& other) const;
};

/// Parts of a type in a file that ValueType does not represent.
struct TypeExtras {
  std::vector<std::string> dimension_denotations;  ///< one text for each dimension, or none at all
  ValueType as_read;
  /// The encoded type in the file, written back while the type equals `as_read`; owned by the
  /// model.
  std::span<const std::byte> bytes;
};

}  // namespace ortool

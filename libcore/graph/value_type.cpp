// Text form of value types.
#include "libcore/graph/value_type.hpp"

#include <utility>

namespace ortool {

ValueType ValueType::tensor(DataType element, PartialShape shape) {
  ValueType type;
  type.kind = Kind::tensor;
  type.element = element;
  type.shape = std::move(shape);
  return type;
}

ValueType ValueType::sequence(ValueType element) {
  ValueType type;
  type.kind = Kind::sequence;
  type.inner = std::make_shared<const ValueType>(std::move(element));
  return type;
}

ValueType ValueType::optional(ValueType element) {
  ValueType type;
  type.kind = Kind::optional;
  type.inner = std::make_shared<const ValueType>(std::move(element));
  return type;
}

ValueType ValueType::map(DataType key, DataType value) {
  ValueType type;
  type.kind = Kind::map;
  type.element = key;
  type.inner = std::make_shared<const ValueType>(tensor(value, Dimensions()));
  return type;
}

bool ValueType::operator==(const ValueType& other) const {
  const bool has_same_inner = inner == other.inner || (inner != nullptr && other.inner != nullptr &&
                                                       *inner == *other.inner);
  return has_same_inner && kind == other.kind && element == other.element &&
         denotation == other.denotation && shape == other.shape;
}

const std::string& ValueType::unknown_because() const {
  if (inner != nullptr) return inner->unknown_because();
  const bool has_shape = kind == Kind::tensor || kind == Kind::sparse_tensor;
  if (!has_shape || !shape) return rank_cause.cause();
  for (const Dimension& dimension : *shape) {
    if (dimension.is_unknown()) return dimension.cause();
  }
  return Dimension(0).cause();
}

std::string ValueType::to_string() const {
  const std::string inside = inner ? inner->to_string() : "unknown";
  switch (kind) {
    case Kind::tensor:
      return std::string(name_of(element)) + "[" + ortool::to_string(shape) + "]";
    case Kind::sparse_tensor:
      return "sparse " + std::string(name_of(element)) + "[" + ortool::to_string(shape) + "]";
    case Kind::sequence:
      return "sequence(" + inside + ")";
    case Kind::optional:
      return "optional(" + inside + ")";
    case Kind::map:
      return "map(" + std::string(name_of(element)) + ", " + inside + ")";
    case Kind::opaque:
      return "opaque";
    default:
      return "unknown";
  }
}

}  // namespace ortool

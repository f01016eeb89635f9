// Membership tests for types that may be partly unknown.
#include "libcore/ops/type_set.hpp"

namespace ortool {
namespace {

bool may_hold(const TypeSet& set, TypeSet::Container container, DataType element) {
  return element == DataType::undefined ? set[container] != 0 : set.contains(container, element);
}

bool may_hold_tensor(const TypeSet& set, TypeSet::Container container, const ValueType& type) {
  if (type.kind == ValueType::Kind::unknown) return set[container] != 0;
  return type.is_tensor() && may_hold(set, container, type.element);
}

/// Selects `int64_form` or `string_form` by the map's key type.
bool may_hold_map(const TypeSet& set, TypeSet::Container int64_form, TypeSet::Container string_form,
                  const ValueType& type) {
  const ValueType unknown;
  const ValueType& value = type.inner ? *type.inner : unknown;
  const bool may_be_int64 = type.element == DataType::int64 || type.element == DataType::undefined;
  const bool may_be_string =
      type.element == DataType::string || type.element == DataType::undefined;
  return (may_be_int64 && may_hold_tensor(set, int64_form, value)) ||
         (may_be_string && may_hold_tensor(set, string_form, value));
}

bool may_hold_sequence(const TypeSet& set, const ValueType& element) {
  using enum TypeSet::Container;
  const bool is_unknown = element.kind == ValueType::Kind::unknown;
  if (is_unknown || element.kind == ValueType::Kind::map) {
    const ValueType any_map;
    if (may_hold_map(set, sequence_of_map_of_int64, sequence_of_map_of_string,
                     is_unknown ? any_map : element))
      return true;
  }
  return may_hold_tensor(set, sequence, element);
}

bool may_hold_optional(const TypeSet& set, const ValueType& element) {
  using enum TypeSet::Container;
  if (may_hold_tensor(set, optional, element)) return true;
  if (element.kind == ValueType::Kind::unknown) return set[optional_sequence] != 0;
  const ValueType unknown;
  return element.kind == ValueType::Kind::sequence &&
         may_hold_tensor(set, optional_sequence, element.inner ? *element.inner : unknown);
}

}  // namespace

bool TypeSet::may_contain(const ValueType& type) const {
  const ValueType unknown;
  const ValueType& inner = type.inner ? *type.inner : unknown;
  switch (type.kind) {
    case ValueType::Kind::unknown:
      return true;
    case ValueType::Kind::tensor:
      return may_hold(*this, Container::tensor, type.element);
    case ValueType::Kind::sequence:
      return may_hold_sequence(*this, inner);
    case ValueType::Kind::optional:
      return may_hold_optional(*this, inner);
    case ValueType::Kind::map:
      return may_hold_map(*this, Container::map_of_int64, Container::map_of_string, type);
    default:
      return false;
  }
}

}  // namespace ortool

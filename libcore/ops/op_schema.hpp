// What ONNX says of an operator: a row a version with its inputs, outputs, attributes and types.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "libcore/graph/attribute.hpp"
#include "libcore/ops/type_set.hpp"

namespace ortool {

/// A formal input or output. (Names here are C strings: g++ 12 cannot put string_view into nested
/// constant lists.)
struct Formal {
  enum class Count { single, optional, variadic };

  const char* name;
  const char* type;  ///< a type parameter of the version, such as "T", or "tensor(int64)" itself
  Count count = Count::single;
  std::int64_t least = 1;      ///< of a variadic one: how many there must be
  bool is_homogeneous = true;  ///< of a variadic one: all have the same type
};

/// What an attribute is when it is not given; of no kind when there is no default. Lists are
/// themselves constants: a list in braces would not live long enough.
struct AttributeDefault {
  AttributeKind kind = AttributeKind::undefined;
  std::int64_t integer = 0;
  float number = 0;
  const char* string = nullptr;
  std::initializer_list<std::int64_t> integers = {};
  std::initializer_list<float> numbers = {};
  std::initializer_list<const char*> strings = {};

  constexpr AttributeDefault() = default;
  constexpr AttributeDefault(int value) : kind(AttributeKind::integer), integer(value) {}
  constexpr AttributeDefault(std::int64_t value) : kind(AttributeKind::integer), integer(value) {}
  constexpr AttributeDefault(float value) : kind(AttributeKind::float_number), number(value) {}
  constexpr AttributeDefault(const char* value) : kind(AttributeKind::string), string(value) {}
  constexpr AttributeDefault(const std::initializer_list<std::int64_t>& value)
      : kind(AttributeKind::integers), integers(value) {}
  constexpr AttributeDefault(const std::initializer_list<float>& value)
      : kind(AttributeKind::floats), numbers(value) {}
  constexpr AttributeDefault(const std::initializer_list<const char*>& value)
      : kind(AttributeKind::strings), strings(value) {}
};

struct AttributeSpec {
  const char* name;
  AttributeKind kind;
  bool is_required = false;
  AttributeDefault default_value = {};
};

struct TypeParameter {
  const char* name;
  TypeSet allowed;
};

/// One version of an operator. Everything lies in static memory.
struct OpVersion {
  std::int64_t since = 1;
  std::initializer_list<Formal> inputs = {};
  std::initializer_list<Formal> outputs = {};
  std::initializer_list<AttributeSpec> attributes = {};
  std::initializer_list<TypeParameter> types = {};
  bool is_deprecated = false;
  bool takes_any_attribute = false;  ///< beside the ones it has

  /// Fewest and most inputs or outputs a node of this version has; most is 2^31 for variadic ones.
  std::int64_t fewest(std::initializer_list<Formal> formals) const;
  std::int64_t most(std::initializer_list<Formal> formals) const;
  /// The formal parameter that the position falls on, or null past the end.
  static const Formal* formal_at(std::initializer_list<Formal> formals, std::int64_t position);
  const AttributeSpec* find_attribute(std::string_view name) const;
  /// The types that a formal's `type` allows: those of the parameter, or the tensor it names
  /// itself; empty for a name that is neither.
  TypeSet allowed(std::string_view type) const;
};

/// An operator with all its versions, oldest first.
struct OpSchema {
  const char* name;
  const char* domain;
  std::initializer_list<OpVersion> versions;
  /// Forms that ONNX Runtime takes in the operator's domain, and its tools write there, at opsets
  /// before ONNX has the operator; by the opset from which on it does.
  std::initializer_list<OpVersion> early = {};

  /// The version in force at an opset: the newest not above it; null when the operator came later.
  const OpVersion* at(std::int64_t opset) const;
  /// The same, or where ONNX has none its early form: what a file may hold.
  const OpVersion* accepted_at(std::int64_t opset) const;
  bool is_early_at(std::int64_t opset) const;
};

}  // namespace ortool

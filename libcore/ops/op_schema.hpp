// What ONNX says of an operator: a row a version with its inputs, outputs, attributes and types.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "libcore/graph/attribute.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool {

/// A set of types a parameter may have: tensors by element type, and bits for other kinds.
struct TypeSet {
  std::uint64_t bits = 0;

  static constexpr int sequence_shift = 27;  ///< sequences, optionals and maps: one bit a kind

  constexpr bool contains(DataType type) const {
    return (bits >> static_cast<unsigned>(type) & 1U) != 0;
  }
  constexpr bool operator==(const TypeSet&) const = default;
};

constexpr TypeSet operator|(TypeSet a, TypeSet b) {
  return {a.bits | b.bits};
}
constexpr TypeSet operator-(TypeSet a, TypeSet b) {
  return {a.bits & ~b.bits};
}
constexpr TypeSet types_of(std::initializer_list<DataType> types) {
  TypeSet set;
  for (const DataType type : types) set.bits |= std::uint64_t{1} << static_cast<unsigned>(type);
  return set;
}

namespace types {
using enum DataType;
constexpr TypeSet any_sequence = {std::uint64_t{1} << TypeSet::sequence_shift};
constexpr TypeSet any_optional = {std::uint64_t{2} << TypeSet::sequence_shift};
constexpr TypeSet any_map = {std::uint64_t{4} << TypeSet::sequence_shift};
constexpr TypeSet high_floats = types_of({float16, float32, float64});
constexpr TypeSet floats = high_floats | types_of({bfloat16});
constexpr TypeSet signed_integers = types_of({int8, int16, int32, int64});
constexpr TypeSet unsigned_integers = types_of({uint8, uint16, uint32, uint64});
constexpr TypeSet integers = signed_integers | unsigned_integers;
constexpr TypeSet numbers = high_floats | integers;
constexpr TypeSet numbers_and_bfloat16 = floats | integers;
constexpr TypeSet high_precision_numbers = high_floats | types_of({int32, int64, uint32, uint64});
constexpr TypeSet complexes = types_of({complex64, complex128});
constexpr TypeSet boolean_only = types_of({boolean});
constexpr TypeSet int64_only = types_of({int64});
constexpr TypeSet indices = types_of({int32, int64});
/// Every tensor type there was before bfloat16.
constexpr TypeSet all_tensors = numbers | complexes | types_of({boolean, string});
constexpr TypeSet all_tensors_and_bfloat16 = all_tensors | types_of({bfloat16});
/// IR 9: float8.
constexpr TypeSet all_tensors_ir9 =
    all_tensors_and_bfloat16 | types_of({float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz});
/// IR 10: the 4-bit integers.
constexpr TypeSet all_tensors_ir10 = all_tensors_ir9 | types_of({uint4, int4});
/// IR 11: float4.
constexpr TypeSet all_tensors_ir11 = all_tensors_ir10 | types_of({float4e2m1});
/// IR 12: float8e8m0.
constexpr TypeSet all_tensors_ir12 = all_tensors_ir11 | types_of({float8e8m0});
/// IR 13: the 2-bit integers.
constexpr TypeSet all_tensors_ir13 = all_tensors_ir12 | types_of({uint2, int2});
}  // namespace types

/// A formal input or output. (Names here are C strings: g++ 12 cannot put string_view into nested
/// constant lists.)
struct Formal {
  enum class Count { single, optional, variadic };

  const char* name;
  const char* type;  ///< a type parameter of the version, such as "T"
  Count count = Count::single;
  std::int64_t least = 1;      ///< of a variadic one: how many there must be
  bool is_homogeneous = true;  ///< of a variadic one: all have the same type
};

/// What an attribute is when it is not given; of no kind when there is no default.
struct AttributeDefault {
  AttributeKind kind = AttributeKind::undefined;
  std::int64_t integer = 0;
  float number = 0;
  const char* string = nullptr;
  std::initializer_list<std::int64_t> integers = {};

  constexpr AttributeDefault() = default;
  constexpr AttributeDefault(int value) : kind(AttributeKind::integer), integer(value) {}
  constexpr AttributeDefault(float value) : kind(AttributeKind::float_number), number(value) {}
  constexpr AttributeDefault(const char* value) : kind(AttributeKind::string), string(value) {}
  /// A list that is itself a constant: a list in braces would not live long enough.
  constexpr AttributeDefault(const std::initializer_list<std::int64_t>& value)
      : kind(AttributeKind::integers), integers(value) {}
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

  /// Fewest and most inputs or outputs a node of this version has; most is 2^31 for variadic ones.
  std::int64_t fewest(std::initializer_list<Formal> formals) const;
  std::int64_t most(std::initializer_list<Formal> formals) const;
  /// The formal parameter that the position falls on, or null past the end.
  static const Formal* formal_at(std::initializer_list<Formal> formals, std::int64_t position);
  const AttributeSpec* find_attribute(std::string_view name) const;
  /// The types that a parameter name allows; empty for a name that is none.
  TypeSet allowed(std::string_view type_parameter) const;
};

/// An operator with all its versions, oldest first.
struct OpSchema {
  const char* name;
  const char* domain;
  std::initializer_list<OpVersion> versions;

  /// The version in force at an opset: the newest not above it; null when the operator came later.
  const OpVersion* at(std::int64_t opset) const;
};

}  // namespace ortool

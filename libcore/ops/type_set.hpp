// TypeSet: the types that a type parameter of an operator allows (tensors, sequences, optionals and
// maps, by element type).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "libcore/graph/value_type.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool {

/// A set of the types that occur in ONNX's schemas, as bit masks: for each form, one bit per
/// element type.
struct TypeSet {
  /// The structure around the element type E: tensor(E), seq(tensor(E)), optional(tensor(E)),
  /// optional(seq(tensor(E))), map(int64, E), map(string, E), seq(map(int64, E)), seq(map(string,
  /// E)).
  enum class Container : std::uint8_t {
    tensor,
    sequence,
    optional,
    optional_sequence,
    map_of_int64,
    map_of_string,
    sequence_of_map_of_int64,
    sequence_of_map_of_string,
  };
  static constexpr std::size_t container_count = 8;

  std::uint32_t elements[container_count] = {};

  constexpr std::uint32_t operator[](Container container) const {
    return elements[static_cast<std::size_t>(container)];
  }
  constexpr std::uint32_t& operator[](Container container) {
    return elements[static_cast<std::size_t>(container)];
  }

  constexpr bool contains(Container container, DataType element) const {
    return ((*this)[container] >> static_cast<unsigned>(element) & 1U) != 0;
  }
  /// Whether the set contains tensors of this element type.
  constexpr bool contains(DataType element) const { return contains(Container::tensor, element); }
  /// Whether the set contains the type or may contain it: unknown parts of a type match anything.
  bool may_contain(const ValueType& type) const;

  constexpr bool is_empty() const { return *this == TypeSet(); }
  constexpr bool operator==(const TypeSet&) const = default;
};

static_assert(data_type_count <= 32, "the element types of a signature must fit in 32 bits");

constexpr TypeSet operator|(TypeSet a, const TypeSet& b) {
  for (std::size_t i = 0; i < TypeSet::container_count; ++i) a.elements[i] |= b.elements[i];
  return a;
}
constexpr TypeSet operator-(TypeSet a, const TypeSet& b) {
  for (std::size_t i = 0; i < TypeSet::container_count; ++i) a.elements[i] &= ~b.elements[i];
  return a;
}
/// Tensors of these element types.
constexpr TypeSet types_of(std::initializer_list<DataType> types) {
  TypeSet set;
  for (const DataType type : types)
    set[TypeSet::Container::tensor] |= std::uint32_t{1} << static_cast<unsigned>(type);
  return set;
}

namespace types {

/// Sequences of the set's tensors and maps.
constexpr TypeSet sequences_of(const TypeSet& set) {
  using enum TypeSet::Container;
  TypeSet result;
  result[sequence] = set[tensor];
  result[sequence_of_map_of_int64] = set[map_of_int64];
  result[sequence_of_map_of_string] = set[map_of_string];
  return result;
}
/// Optionals of the set's tensors and sequences of tensors.
constexpr TypeSet optionals_of(const TypeSet& set) {
  using enum TypeSet::Container;
  TypeSet result;
  result[optional] = set[tensor];
  result[optional_sequence] = set[sequence];
  return result;
}
/// Maps from int64 to each of these types.
constexpr TypeSet maps_of_int64_to(std::initializer_list<DataType> values) {
  TypeSet result;
  result[TypeSet::Container::map_of_int64] = types_of(values)[TypeSet::Container::tensor];
  return result;
}
/// Maps from string to each of these types.
constexpr TypeSet maps_of_string_to(std::initializer_list<DataType> values) {
  TypeSet result;
  result[TypeSet::Container::map_of_string] = types_of(values)[TypeSet::Container::tensor];
  return result;
}

using enum DataType;
constexpr TypeSet float32_only = types_of({float32});
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
constexpr TypeSet string_only = types_of({string});
constexpr TypeSet int32_only = types_of({int32});
constexpr TypeSet int64_only = types_of({int64});
constexpr TypeSet indices = types_of({int32, int64});
/// All tensor types that existed before bfloat16.
constexpr TypeSet all_tensors = numbers | complexes | types_of({boolean, string});
constexpr TypeSet all_tensors_and_bfloat16 = all_tensors | types_of({bfloat16});
/// Sequences, and optionals of tensors and sequences, of the types that existed before bfloat16.
constexpr TypeSet all_sequences = sequences_of(all_tensors);
constexpr TypeSet all_optionals = optionals_of(all_tensors | all_sequences);
/// IR 9 added float8.
constexpr TypeSet all_tensors_ir9 =
    all_tensors_and_bfloat16 | types_of({float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz});
/// IR 10 added the 4-bit integers.
constexpr TypeSet all_tensors_ir10 = all_tensors_ir9 | types_of({uint4, int4});
/// IR 11 added float4.
constexpr TypeSet all_tensors_ir11 = all_tensors_ir10 | types_of({float4e2m1});
/// IR 12 added float8e8m0.
constexpr TypeSet all_tensors_ir12 = all_tensors_ir11 | types_of({float8e8m0});
/// IR 13 added the 2-bit integers.
constexpr TypeSet all_tensors_ir13 = all_tensors_ir12 | types_of({uint2, int2});
/// IR 14 added float6.
constexpr TypeSet all_tensors_ir14 = all_tensors_ir13 | types_of({float6e2m3, float6e3m2});

}  // namespace types
}  // namespace ortool

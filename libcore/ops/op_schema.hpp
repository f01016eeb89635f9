// Operator schemas as in ONNX: inputs, outputs, attributes and types for each version.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "libcore/graph/attribute.hpp"
#include "libcore/ops/type_set.hpp"

namespace ortool {

/// A formal input or output. (Names are C strings because g++ 12 cannot put string_view into nested
/// constant lists.)
struct Formal {
  enum class Count { single, optional, variadic };

  const char* name;
  const char* type;  ///< a type parameter of the version, such as "T", or "tensor(int64)" itself
  Count count = Count::single;
  std::int64_t least = 1;      ///< if variadic: the minimum count
  bool is_homogeneous = true;  ///< if variadic: whether all have the same type
};

/// The default value of an attribute; of no kind when there is none. Lists must be named constants,
/// since a braced list would not live long enough.
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

/// One version of an operator. All of its data has static storage duration.
struct OpVersion {
  std::int64_t since = 1;
  std::initializer_list<Formal> inputs = {};
  std::initializer_list<Formal> outputs = {};
  std::initializer_list<AttributeSpec> attributes = {};
  std::initializer_list<TypeParameter> types = {};
  bool is_deprecated = false;
  bool takes_any_attribute = false;  ///< in addition to the listed ones

  /// Minimum and maximum number of inputs or outputs of a node; the maximum is 2^31 for variadic
  /// ones.
  std::int64_t fewest(std::initializer_list<Formal> formals) const;
  std::int64_t most(std::initializer_list<Formal> formals) const;
  /// The formal parameter for a position, or null past the end.
  static const Formal* formal_at(std::initializer_list<Formal> formals, std::int64_t position);
  const AttributeSpec* find_attribute(std::string_view name) const;
  /// The types that a formal's `type` allows: those of the type parameter, or the tensor type that
  /// it names itself; empty for a name that is neither.
  TypeSet allowed(std::string_view type) const;
};

/// An operator with all its versions, oldest first.
struct OpSchema {
  const char* name;
  const char* domain;
  std::initializer_list<OpVersion> versions;
  /// Forms that ONNX Runtime accepts in the operator's domain, and its tools write, at opsets
  /// before ONNX introduced the operator; keyed by the first opset at which it does.
  std::initializer_list<OpVersion> early = {};

  /// The version in force at an opset: the newest one not above it; null when the operator was
  /// introduced later.
  const OpVersion* at(std::int64_t opset) const;
  /// Same as `at`, with the early form as fallback: what a model file may contain.
  const OpVersion* accepted_at(std::int64_t opset) const;
  bool is_early_at(std::int64_t opset) const;
};

}  // namespace ortool

// ValueOrInput: a parameter that a later opset moved from an attribute to an input.
#pragma once

#include <cstdint>
#include <optional>

namespace ortool {

/// Holds a value, or the index of the input that supplies it at run time, or neither (omitted).
template <typename T>
struct ValueOrInput {
  std::optional<T> value;
  std::int64_t input = -1;

  bool is_given() const { return value.has_value() || input >= 0; }
  bool is_known() const { return value.has_value(); }
};

}  // namespace ortool

// Merges the declared type of a value with the inferred one.
#pragma once

#include "libcore/graph/value_type.hpp"

namespace ortool {

/// Whether values of this type have a shape: dense and sparse tensors.
bool is_shaped(const ValueType& type);

struct MergedType {
  ValueType type;            ///< the inferred type, completed from the declaration
  bool contradicts = false;  ///< both contradict; the declaration was ignored
};

/// Throws ErrorCode::invalid when the element types of two tensors differ; `name` is the value's.
MergedType merge_types(std::string_view name, const ValueType& declared, ValueType inferred);

}  // namespace ortool

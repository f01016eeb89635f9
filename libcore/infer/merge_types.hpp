// What the file declares of a value laid beside what was inferred.
#pragma once

#include "libcore/graph/value_type.hpp"

namespace ortool {

/// Whether values of the type have a shape: tensors, dense and sparse.
bool is_shaped(const ValueType& type);

struct MergedType {
  ValueType type;            ///< inferred, with what it leaves open taken from the declaration
  bool contradicts = false;  ///< the two say different things; the declaration was passed over
};

/// Throws ErrorCode::invalid when the element types of two tensors differ; `name` is the value's.
MergedType merge_types(std::string_view name, const ValueType& declared, ValueType inferred);

}  // namespace ortool

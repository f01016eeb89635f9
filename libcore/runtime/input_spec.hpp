// What tensors an input of a model takes, by element type and shape.
#pragma once

#include <string>
#include <string_view>

#include "libcore/base/error.hpp"
#include "libcore/graph/value_type.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {

/// Whether an input of `type` takes a tensor of this element type and shape. A scalar takes one
/// element whatever its rank, as other runtimes allow.
bool takes_tensor(const ValueType& type, DataType element, const Shape& shape);

/// The error for what an input does not take; `given` describes it: "float32[2x3]".
Error input_mismatch(std::string_view name, const std::string& given, const ValueType& type);

}  // namespace ortool

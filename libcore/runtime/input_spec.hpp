// Input specification: which tensors an input accepts, by element type and shape.
#pragma once

#include <string>
#include <string_view>

#include "libcore/base/error.hpp"
#include "libcore/graph/value_type.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {

/// Whether an input of `type` accepts a tensor of this element type and shape. A scalar accepts a
/// single element of any rank, as in other runtimes.
bool takes_tensor(const ValueType& type, DataType element, const Shape& shape);

/// The error for a value that an input does not accept; `given` describes it: "sequence of 2".
Error input_mismatch(std::string_view name, const std::string& given, const ValueType& type);
/// The same for a tensor, with a hint for another element type, another layout of images, and a
/// batch axis too few or too many.
Error input_mismatch(std::string_view name, DataType element, const Shape& shape,
                     const ValueType& type);

}  // namespace ortool

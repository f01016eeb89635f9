// Input specification: which values an input accepts, and those given by name in its order.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/graph/value_type.hpp"
#include "libcore/tensor/run_value.hpp"
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

/// Values by name, in the order given.
using NamedValues = std::vector<std::pair<std::string, RunValue>>;

/// The value of each input of the graph, those with a default value included, tensors aligned.
/// Throws ErrorCode::invalid for names that are no inputs, for missing inputs, and for values that
/// an input does not accept.
std::vector<RunValue> match_inputs(const Graph& graph, const NamedValues& given);

}  // namespace ortool

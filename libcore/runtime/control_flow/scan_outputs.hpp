// Types and shapes of empty scan outputs, when a body never ran.
#pragma once

#include <cstdint>

#include "libcore/graph/node.hpp"

namespace ortool {

/// The known element type of a body's output; float32 if unknown.
DataType element_type_of(const Value& output);
/// The shape of `output` with a new axis of size 0 at `axis`; unknown dimensions are 0.
Shape shape_of_nothing(const Value& output, std::int64_t axis);

}  // namespace ortool

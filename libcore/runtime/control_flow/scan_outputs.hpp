// What a stack of no slices looks like: a body that never ran told no shapes.
#pragma once

#include <cstdint>

#include "libcore/graph/graph.hpp"

namespace ortool {

/// The element type that a body's output is known to have; float32 when nobody said.
DataType element_type_of(const Value& output);
/// The shape of `output` with a new axis of size 0 at `axis`; dimensions nobody knows are 0.
Shape shape_of_nothing(const Value& output, std::int64_t axis);

}  // namespace ortool

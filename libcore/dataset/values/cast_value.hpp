// Cast of input values to the element types that a model declares.
#pragma once

#include <string>
#include <string_view>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/graph/value_type.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// Converts a tensor of numbers to the element type of `type`, in place; other values, and those
/// that have it, stay. Returns a warning if elements are not whole numbers of the integer type, so
/// that they change; empty otherwise.
std::string cast_value(std::string_view name, const ValueType& type, RunValue& value,
                       MemoryCap& cap);

}  // namespace ortool

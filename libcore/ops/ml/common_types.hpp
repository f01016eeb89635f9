// The sets of types that classical models take and give.
#pragma once

#include "libcore/ops/type_set.hpp"

namespace ortool::types {

/// Features.
constexpr TypeSet ml_numbers = types_of({float32, float64, int32, int64});
constexpr TypeSet ml_numbers_and_strings = ml_numbers | types_of({string});
/// Labels of classes and keys of maps.
constexpr TypeSet ml_labels = types_of({int64, string});

}  // namespace ortool::types

// Type sets shared by the inputs and outputs of classical models.
#pragma once

#include "libcore/ops/type_set.hpp"

namespace ortool::types {

/// Features.
constexpr TypeSet ml_numbers = types_of({float32, float64, int32, int64});
constexpr TypeSet ml_numbers_and_strings = ml_numbers | types_of({string});
/// Class labels and map keys.
constexpr TypeSet ml_labels = types_of({int64, string});

}  // namespace ortool::types

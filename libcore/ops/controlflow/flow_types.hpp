// The types that If and Loop support in each version: tensors, sequences and optionals of them.
#pragma once

#include "libcore/ops/type_set.hpp"

namespace ortool {

/// Optionals of sequences remain at the element types that existed when bfloat16 was added.
constexpr TypeSet flow_types(const TypeSet& tensors) {
  return tensors | types::sequences_of(tensors) | types::optionals_of(tensors) |
         types::optionals_of(types::sequences_of(types::all_tensors_and_bfloat16));
}

}  // namespace ortool

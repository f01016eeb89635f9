// Random inputs for a model whose caller gives none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/dataset/values/random_inputs.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// Random inputs of a model.
struct RandomInputs {
  NamedValues values;                   ///< of every input without a default, in their order
  std::vector<std::string> taken_as_1;  ///< free dimensions that `random` gives no size
};

/// Values as random_value() makes them, with the seed of `random` plus `index`. Tensors count
/// against `memory`, which outlives them. Throws what random_value() does.
RandomInputs make_random_inputs(const Model& model, const RandomInputOptions& random,
                            std::int64_t index, MemoryCap& memory);

}  // namespace ortool

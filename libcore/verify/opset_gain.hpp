// Opset gain: how many nodes fewer a model would have with the operators of a newer opset.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/inspect/model_size.hpp"
#include "libcore/verify/rewriting.hpp"

namespace ortool {

/// What a conversion would give.
struct OpsetGain {
  std::int64_t opset = 0;
  std::int64_t nodes = 0;  ///< of the rewritten model
};

/// The lowest opset above `own`, the model's, in which `rewriting` leaves the fewest nodes. Nothing
/// where the settings name an opset, passes or float16, where the model cannot be converted, saves
/// less than 5 % of the nodes of `after`, or is too large to be rewritten several times.
std::optional<OpsetGain> find_opset_gain(const TaskContext& task, const Rewriting& rewriting,
                                         std::int64_t own, const ModelSize& before,
                                         const ModelSize& after);

}  // namespace ortool

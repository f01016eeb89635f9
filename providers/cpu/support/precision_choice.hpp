// Precision choice: what a wanted precision is on this processor.
#pragma once

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/precision.hpp"

namespace ortool::cpu {

/// With kernels up to `isa`; see choose_precision() of providers/provider_list.hpp.
PrecisionChoice choose_precision(Precision wanted, Isa isa);

}  // namespace ortool::cpu

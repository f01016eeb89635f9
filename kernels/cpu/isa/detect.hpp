// CPU feature detection of one architecture, for cpu_features.cpp.
#pragma once

#include "kernels/cpu/isa/cpu_features.hpp"

namespace ortool::cpu {

/// The best level up to `cap` that this processor and its system support.
Isa detect_isa(Isa cap);

}  // namespace ortool::cpu

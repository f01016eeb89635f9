// Levels of instruction sets that this processor supports.
#pragma once

#include <vector>

#include "kernels/cpu/isa/cpu_features.hpp"

namespace ortool::cpu {

/// All levels up to best_isa(), weakest first. `baseline` is what every processor of the
/// architecture has: SSE2 on x86-64, ARMv8.0 with NEON on aarch64. avx2 requires AVX2, FMA and
/// F16C; avx512 requires AVX-512 F, BW, DQ and VL; amx also requires VNNI, VBMI and AMX-INT8, and
/// the system's permission to use tiles. dotprod requires SDOT and UDOT; i8mm also requires SMMLA,
/// UMMLA and USMMLA.
std::vector<Isa> supported_isas();

}  // namespace ortool::cpu

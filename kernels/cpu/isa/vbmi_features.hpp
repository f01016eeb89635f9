// CPU feature for permutations of bytes (VBMI).
#pragma once

namespace ortool::cpu {

/// Whether the processor has AVX-512 VBMI and VNNI, whose kernels (vbmi) belong to the level
/// avx512. All processors with AMX have both.
bool has_avx512_vbmi();

}  // namespace ortool::cpu

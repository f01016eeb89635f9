// What the processor can do, found once at run time; kernel variants are chosen by it.
#pragma once

#include <string_view>
#include <vector>

namespace ortool::cpu {

/// Instruction-set levels with kernels of their own, weakest first.
enum class Isa { baseline, avx2, avx512, amx };

/// The best level of this processor, capped by the environment variable ORTOOL_MAX_ISA
/// (baseline, avx2, avx512, amx); throws ErrorCode::invalid for another value there, an empty one
/// aside. avx2 means AVX2, FMA and F16C;
/// avx512 means the F, BW, DQ and VL parts; amx means VNNI, VBMI and the tiles of bytes
/// besides, which the system lets this process use.
Isa best_isa();

/// Whether the processor has AVX-512's instructions for sums of byte products. Kernels of the level
/// avx512 that use them have a form without them.
bool has_avx512_vnni();

/// "baseline", "avx2", "avx512" or "amx".
std::string_view isa_name(Isa isa);

/// Names of the extensions found (sse4.2, avx2, avx512f, avx512_vnni, …), for reports.
std::vector<std::string_view> instruction_sets();

}  // namespace ortool::cpu

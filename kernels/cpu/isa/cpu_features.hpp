// CPU features detected at run time, by which kernel variants are chosen.
#pragma once

#include <string_view>
#include <vector>

namespace ortool::cpu {

/// Instruction sets with kernels of their own, weakest first.
enum class Isa { baseline, avx2, avx512, amx };

/// The best instruction set of this processor, capped by the environment variable ORTOOL_MAX_ISA
/// (baseline, avx2, avx512, amx); throws ErrorCode::invalid if that is set to any other nonempty
/// value. avx2 requires AVX2, FMA and F16C; avx512 requires AVX-512 F, BW, DQ and VL; amx also
/// requires VNNI, VBMI and AMX-INT8, and the system's permission to use tiles.
Isa best_isa();

/// Whether the processor has AVX-512 VNNI. Kernels of avx512 that use it have a variant without it.
bool has_avx512_vnni();

/// "baseline", "avx2", "avx512" or "amx".
std::string_view isa_name(Isa isa);

/// Names of the detected extensions (sse4.2, avx2, avx512f, avx512_vnni, …), for reports.
std::vector<std::string_view> instruction_sets();

}  // namespace ortool::cpu

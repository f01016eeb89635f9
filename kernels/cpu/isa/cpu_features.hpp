// CPU features detected at run time, by which kernel variants are chosen.
#pragma once

#include <string_view>
#include <vector>

namespace ortool::cpu {
/// Levels with kernels of their own, weakest first; those of x86-64 are out of reach on aarch64.
#if !defined(__aarch64__)
enum class Isa { baseline, avx2, avx512, amx };
#else
enum class Isa { baseline, dotprod, i8mm, avx2, avx512, amx };
#endif
/// The best level of this processor (levels.hpp), capped by the environment variable
/// ORTOOL_MAX_ISA; throws ErrorCode::invalid if that is set, but not to the name of a level.
Isa best_isa();

/// Whether the processor has AVX-512 VNNI. Kernels of avx512 that use it have a variant without it.
bool has_avx512_vnni();

/// "baseline", "avx2", "avx512" or "amx".
std::string_view isa_name(Isa isa);

/// Names of the detected extensions (sse4.2, avx2, avx512f, avx512_vnni, …), for reports.
std::vector<std::string_view> instruction_sets();

}  // namespace ortool::cpu

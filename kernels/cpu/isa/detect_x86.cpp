// CPU feature detection on x86-64, by CPUID.
#if defined(__x86_64__)
#include <cpuid.h>
#include <cstdint>
#include <unistd.h>

#include <sys/syscall.h>

#include "kernels/cpu/isa/bf16_features.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "kernels/cpu/isa/detect.hpp"
#include "kernels/cpu/isa/vbmi_features.hpp"

namespace ortool::cpu {
namespace {

// Queried by CPUID, because clang 14 does not know this extension by name.
bool has_f16c() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

/// State components 17 and 18 are the tiles; XCR0 tells which components the system saves.
bool saves_tiles() {
  constexpr unsigned tile_components = 3U << 17U;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & tile_components) == tile_components;
}

/// Linux lets a process use tiles, whose 8 KiB of state it would have to save, only on request. The
/// permission holds for all threads until the process ends (arch_prctl(2), ARCH_REQ_XCOMP_PERM).
bool may_use_tiles() {
  constexpr long request_permission = 0x1023;
  constexpr long tile_data = 18;
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

/// Whether all of these bits are set in EDX of leaf 7: compilers learned the names of AMX late.
bool has_amx_bits(unsigned bits) {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & bits) == bits;
}

bool has_amx_int8() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  constexpr unsigned saves_by_xsave = 1U << 27U;
  constexpr unsigned tile_and_int8 = 3U << 24U;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & saves_by_xsave) == 0) return false;
  return has_amx_bits(tile_and_int8) && saves_tiles() && may_use_tiles();
}

}  // namespace

Isa detect_isa(Isa cap) {
  const auto reaches = [cap](Isa level, bool is_there) { return cap >= level && is_there; };
  if (!reaches(Isa::avx2, __builtin_cpu_supports("avx2") != 0 &&
                              __builtin_cpu_supports("fma") != 0 && has_f16c())) {
    return Isa::baseline;
  }
  if (!reaches(Isa::avx512, __builtin_cpu_supports("avx512f") != 0 &&
                                __builtin_cpu_supports("avx512bw") != 0 &&
                                __builtin_cpu_supports("avx512dq") != 0 &&
                                __builtin_cpu_supports("avx512vl") != 0)) {
    return Isa::avx2;
  }
  return cap >= Isa::amx && has_avx512_vbmi() && has_amx_int8() ? Isa::amx : Isa::avx512;
}

bool has_avx512_vnni() {
  return __builtin_cpu_supports("avx512vnni") != 0;
}

bool has_avx512_vbmi() {
  return has_avx512_vnni() && __builtin_cpu_supports("avx512vbmi") != 0;
}

bool has_avx512_bf16() {
  return __builtin_cpu_supports("avx512bf16") != 0;
}

bool has_amx_bf16() {
  constexpr unsigned amx_bf16 = 1U << 22U;
  return has_avx512_bf16() && has_amx_bits(amx_bf16);
}

std::vector<std::string_view> instruction_sets() {
  std::vector<std::string_view> names;
  const auto add = [&names](std::string_view name, int supported) {
    if (supported != 0) names.push_back(name);
  };
  add("sse4.2", __builtin_cpu_supports("sse4.2"));
  add("avx", __builtin_cpu_supports("avx"));
  add("avx2", __builtin_cpu_supports("avx2"));
  add("fma", __builtin_cpu_supports("fma"));
  add("f16c", has_f16c() ? 1 : 0);
  add("avx512f", __builtin_cpu_supports("avx512f"));
  add("avx512bw", __builtin_cpu_supports("avx512bw"));
  add("avx512dq", __builtin_cpu_supports("avx512dq"));
  add("avx512vl", __builtin_cpu_supports("avx512vl"));
  add("avx512_vnni", __builtin_cpu_supports("avx512vnni"));
  add("avx512_bf16", __builtin_cpu_supports("avx512bf16"));
  add("amx_int8", best_isa() >= Isa::amx ? 1 : 0);
  add("amx_bf16", best_isa() >= Isa::amx && has_amx_bf16() ? 1 : 0);
  return names;
}

}  // namespace ortool::cpu
#endif

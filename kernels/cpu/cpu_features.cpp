// Asking the processor once which extensions it has.
#include "kernels/cpu/cpu_features.hpp"

#include <cpuid.h>
#include <cstdlib>

namespace ortool::cpu {
namespace {

// Asked directly, because clang 14 does not know this extension by name.
bool has_f16c() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

Isa detect() {
  Isa isa = Isa::baseline;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c()) {
    isa = Isa::avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
      isa = Isa::avx512;
    }
  }
  const char* cap = std::getenv("ORTOOL_MAX_ISA");
  if (cap != nullptr) {
    for (const Isa level : {Isa::baseline, Isa::avx2}) {
      if (isa_name(level) == cap && level < isa) isa = level;
    }
  }
  return isa;
}

}  // namespace

Isa best_isa() {
  static const Isa isa = detect();
  return isa;
}

bool has_avx512_vnni() {
  return __builtin_cpu_supports("avx512vnni") != 0;
}

std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::avx512:
      return "avx512";
    case Isa::avx2:
      return "avx2";
    default:
      return "baseline";
  }
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
  return names;
}

}  // namespace ortool::cpu

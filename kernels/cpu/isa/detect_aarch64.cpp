// CPU feature detection on aarch64, by the hardware capabilities that Linux reports.
#if defined(__aarch64__)
#include <sys/auxv.h>

#include "kernels/cpu/isa/bf16_features.hpp"
#include "kernels/cpu/isa/detect.hpp"
#include "kernels/cpu/isa/vbmi_features.hpp"

namespace ortool::cpu {
namespace {

// Bits of AT_HWCAP and AT_HWCAP2, named as in the kernel's asm/hwcap.h, of which old versions lack
// some.
constexpr unsigned long hwcap_asimd = 1UL << 1U;
constexpr unsigned long hwcap_fphp = 1UL << 9U;
constexpr unsigned long hwcap_asimdhp = 1UL << 10U;
constexpr unsigned long hwcap_asimddp = 1UL << 20U;
constexpr unsigned long hwcap_sve = 1UL << 22U;
constexpr unsigned long hwcap2_i8mm = 1UL << 13U;
constexpr unsigned long hwcap2_bf16 = 1UL << 14U;

bool has(unsigned long bits) {
  return (getauxval(AT_HWCAP) & bits) == bits;
}
bool has2(unsigned long bits) {
  return (getauxval(AT_HWCAP2) & bits) == bits;
}

}  // namespace

Isa detect_isa(Isa cap) {
  if (cap < Isa::dotprod || !has(hwcap_asimddp)) return Isa::baseline;
  return cap >= Isa::i8mm && has2(hwcap2_i8mm) ? Isa::i8mm : Isa::dotprod;
}

bool has_avx512_vnni() {
  return false;
}

bool has_avx512_vbmi() {
  return false;
}

bool has_avx512_bf16() {
  return false;
}

bool has_amx_bf16() {
  return false;
}

std::vector<std::string_view> instruction_sets() {
  std::vector<std::string_view> names;
  const auto add = [&names](std::string_view name, bool is_supported) {
    if (is_supported) names.push_back(name);
  };
  add("neon", has(hwcap_asimd));
  add("fp16", has(hwcap_fphp | hwcap_asimdhp));
  add("dotprod", has(hwcap_asimddp));
  add("i8mm", has2(hwcap2_i8mm));
  add("bf16", has2(hwcap2_bf16));
  add("sve", has(hwcap_sve));
  return names;
}

}  // namespace ortool::cpu
#endif

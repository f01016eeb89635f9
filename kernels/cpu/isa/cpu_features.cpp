// Levels of instruction sets: names, and the best one, detected once.
#include "kernels/cpu/isa/cpu_features.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>

#include "kernels/cpu/isa/detect.hpp"
#include "kernels/cpu/isa/levels.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool::cpu {
namespace {

#if defined(__aarch64__)
constexpr Isa levels[] = {Isa::baseline, Isa::dotprod, Isa::i8mm};
constexpr const char* level_names = "baseline, dotprod or i8mm";
#else
constexpr Isa levels[] = {Isa::baseline, Isa::avx2, Isa::avx512, Isa::amx};
constexpr const char* level_names = "baseline, avx2, avx512 or amx";
#endif

/// The best level whose kernels are in the build.
#ifdef ORTOOL_MOST_ISA
constexpr Isa most_in_build = Isa::ORTOOL_MOST_ISA;
#else
constexpr Isa most_in_build = std::span(levels).back();
#endif

Isa cap_of_environment() {
  const char* cap = std::getenv("ORTOOL_MAX_ISA");
  if (cap == nullptr || *cap == '\0') return most_in_build;
  for (const Isa level : levels) {
    if (isa_name(level) == cap) return std::min(level, most_in_build);
  }
  throw Error(
      ErrorCode::invalid,
      format("environment variable ORTOOL_MAX_ISA: {} is not an instruction set", quote(cap)),
      format("set it to {}, or unset it", level_names))
      .with_id("usage.environment");
}

}  // namespace

Isa best_isa() {
  static const Isa isa = detect_isa(cap_of_environment());
  return isa;
}

std::vector<Isa> supported_isas() {
  std::vector<Isa> isas;
  for (const Isa level : levels) {
    if (level <= best_isa()) isas.push_back(level);
  }
  return isas;
}

std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::amx:
      return "amx";
    case Isa::avx512:
      return "avx512";
    case Isa::avx2:
      return "avx2";
#if defined(__aarch64__)
    case Isa::dotprod:
      return "dotprod";
    case Isa::i8mm:
      return "i8mm";
#endif
    default:
      return "baseline";
  }
}

}  // namespace ortool::cpu

// Precision choice: bfloat16 where the processor multiplies it, and for auto where it gains.
#include "providers/cpu/support/precision_choice.hpp"

#include "kernels/cpu/gemm/bf16/gemm.hpp"
#include "kernels/cpu/gemm/bf16/peak.hpp"
#include "kernels/cpu/isa/bf16_features.hpp"
#include "kernels/cpu/isa/built_features.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cpu {

PrecisionChoice choose_precision(Precision wanted, Isa isa) {
  if (wanted == Precision::float32) return {};
  if (wanted == Precision::float16) {
    throw Error(ErrorCode::unsupported, "precision float16 is planned, but not in this version",
                "use bfloat16, or auto, which takes 16 bits where the processor gains by them")
        .with_id("usage.planned");
  }
  const bool is_automatic = wanted == Precision::automatic;
  if constexpr (!has_16_bit_floats) {
    const std::string reason = "this minimal build has no kernels with operands in 16 bits";
    if (is_automatic) return {Precision::float32, reason};
    throw Error(ErrorCode::provider_unavailable,
                format("precision bfloat16 is not available: {}", reason),
                "build it with a list of operators that lacks the line 'without 16-bit-floats'")
        .with_id("provider.precision");
  }
  if (!has_bf16_gemm(isa)) {
    const std::string reason =
        format("the processor has neither AVX512-BF16 nor AMX-BF16 at instruction-set level {}",
               isa_name(isa));
    if (is_automatic) return {Precision::float32, reason};
    throw Error(ErrorCode::provider_unavailable,
                format("precision bfloat16 is not available: {}", reason),
                "use auto, which takes 16 bits where the processor gains by them, or float32")
        .with_id("provider.precision");
  }
  const std::string_view unit = isa == Isa::amx && has_amx_bf16() ? "AMX-BF16" : "AVX512-BF16";
  if (is_automatic && !gains_from_bf16(isa)) {
    return {Precision::float32,
            format("{} of this processor multiplies no faster than float32", unit)};
  }
  return {Precision::bfloat16, std::string(unit)};
}

}  // namespace ortool::cpu

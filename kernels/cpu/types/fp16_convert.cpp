// Conversion of arrays of float16 and bfloat16 bit patterns: the portable level, and the choice.
#include "kernels/cpu/types/fp16_convert.hpp"

#include "kernels/cpu/isa/cpu_features.hpp"
#include "kernels/cpu/types/fp16_bits.hpp"

namespace ortool::cpu {
namespace {

template <typename Half>
void widen(const std::uint16_t* in, float* out, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = to_float(Half{in[i]});
}

template <typename Half>
void narrow(const float* in, std::uint16_t* out, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    Half half;
    from_float(in[i], half);
    out[i] = half.bits;
  }
}

}  // namespace

const HalfFunctions baseline::half_functions = {.float16_to_float = widen<Float16Bits>,
                                                .float_to_float16 = narrow<Float16Bits>,
                                                .bfloat16_to_float = widen<BFloat16Bits>,
                                                .float_to_bfloat16 = narrow<BFloat16Bits>};

const HalfFunctions& half_functions(Isa isa) {
  switch (isa) {
    case Isa::amx:
    case Isa::avx512:
      return avx512::half_functions;
    case Isa::avx2:
      return avx2::half_functions;
    default:
      return baseline::half_functions;
  }
}

}  // namespace ortool::cpu

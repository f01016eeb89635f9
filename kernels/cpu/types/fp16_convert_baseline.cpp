// fp16 and bfloat16 conversion of arrays in portable C++.
#include "kernels/cpu/types/fp16_bits.hpp"
#include "kernels/cpu/types/fp16_convert.hpp"

namespace ortool::cpu::baseline {
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

const Fp16Functions fp16_functions = {.float16_to_float = widen<Float16Bits>,
                                      .float_to_float16 = narrow<Float16Bits>,
                                      .bfloat16_to_float = widen<BFloat16Bits>,
                                      .float_to_bfloat16 = narrow<BFloat16Bits>};

}  // namespace ortool::cpu::baseline

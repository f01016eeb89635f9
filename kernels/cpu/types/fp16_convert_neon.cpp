// fp16 and bfloat16 conversion of arrays for NEON, whose base converts fp16.
#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/types/fp16_convert.hpp"

namespace ortool::cpu::neon {
namespace {

constexpr int64_t step = 4;

/// Applies `convert` to four values at a time; the last ones are padded with zeros.
template <typename In, typename Out, typename Convert>
inline void convert_all(const In* in, Out* out, int64_t count, Convert convert) {
  int64_t i = 0;
  for (; i + step <= count; i += step) convert(in + i, out + i);
  if (i == count) return;
  In from[step] = {};
  Out to[step];
  const auto left = static_cast<size_t>(count - i);
  memcpy(from, in + i, left * sizeof(In));
  convert(from, to);
  memcpy(out + i, to, left * sizeof(Out));
}

void float16_to_float(const uint16_t* in, float* out, int64_t count) {
  convert_all(in, out, count, [](const uint16_t* from, float* to) {
    vst1q_f32(to, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(from))));
  });
}

void float_to_float16(const float* in, uint16_t* out, int64_t count) {
  convert_all(in, out, count, [](const float* from, uint16_t* to) {
    vst1_u16(to, vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(from))));
  });
}

void bfloat16_to_float(const uint16_t* in, float* out, int64_t count) {
  convert_all(in, out, count, [](const uint16_t* from, float* to) {
    vst1q_f32(to, vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(from), 16)));
  });
}

/// Rounds to nearest, ties to even; NaN stays NaN.
void float_to_bfloat16(const float* in, uint16_t* out, int64_t count) {
  convert_all(in, out, count, [](const float* from, uint16_t* to) {
    const float32x4_t value = vld1q_f32(from);
    const uint32x4_t bits = vreinterpretq_u32_f32(value);
    const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    const uint32x4_t rounded = vaddq_u32(vaddq_u32(bits, vdupq_n_u32(0x7fff)), odd);
    const uint32x4_t quiet = vorrq_u32(bits, vdupq_n_u32(0x00400000));
    vst1_u16(to, vshrn_n_u32(vbslq_u32(vceqq_f32(value, value), rounded, quiet), 16));
  });
}

}  // namespace

const Fp16Functions fp16_functions = {.float16_to_float = float16_to_float,
                                      .float_to_float16 = float_to_float16,
                                      .bfloat16_to_float = bfloat16_to_float,
                                      .float_to_bfloat16 = float_to_bfloat16};

}  // namespace ortool::cpu::neon

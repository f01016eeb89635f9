// Copy of a row of pixels for bfloat16 convolution with AVX512-BF16.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/conv/bf16_nchwc/copy_row.hpp"

namespace ortool::cpu::bf16 {

namespace {

constexpr int64_t image_block = 16;

inline __m256i load_block(const uint16_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

void copy_pixels(const Bf16RowCopy& copy, const float* in, uint16_t* out) {
  if (copy.in_stride != 0) {
    for (int64_t i = 0; i < copy.inside; ++i, in += copy.pixel_step, out += bf16_step) {
      const __m512bh values =
          _mm512_cvtne2ps_pbh(_mm512_loadu_ps(in + copy.in_stride), _mm512_loadu_ps(in));
      _mm512_storeu_si512(out, reinterpret_cast<__m512i>(values));
    }
  } else {
    for (int64_t i = 0; i < copy.inside; ++i, in += copy.pixel_step, out += bf16_step) {
      const __m512bh values = _mm512_cvtne2ps_pbh(_mm512_setzero_ps(), _mm512_loadu_ps(in));
      _mm512_storeu_si512(out, reinterpret_cast<__m512i>(values));
    }
  }
}

void copy_pixels(const Bf16RowCopy& copy, const uint16_t* in, uint16_t* out) {
  if (copy.in_stride != 0) {
    for (int64_t i = 0; i < copy.inside; ++i, in += copy.pixel_step, out += bf16_step) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), load_block(in));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + image_block),
                          load_block(in + copy.in_stride));
    }
  } else {
    for (int64_t i = 0; i < copy.inside; ++i, in += copy.pixel_step, out += bf16_step)
      _mm512_storeu_si512(out, _mm512_zextsi256_si512(load_block(in)));
  }
}

}  // namespace

void copy_row(const Bf16RowCopy& copy) {
  constexpr size_t pixel_bytes = bf16_step * sizeof(uint16_t);
  uint16_t* out = copy.out;
  memset(out, 0, static_cast<size_t>(copy.before) * pixel_bytes);
  out += copy.before * bf16_step;
  if (copy.in_bfloat16 != nullptr) {
    copy_pixels(copy, copy.in_bfloat16, out);
  } else {
    copy_pixels(copy, copy.in, out);
  }
  memset(out + copy.inside * bf16_step, 0, static_cast<size_t>(copy.behind) * pixel_bytes);
}

void round_row(const float* in, int64_t count, uint16_t* out) {
  constexpr int64_t lanes = 16;
  for (int64_t at = 0; at < count; at += lanes) {
    const int64_t left = count - at;
    const auto there = static_cast<__mmask16>(left >= lanes ? 0xFFFFU : (1U << left) - 1U);
    const __m256bh values = _mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(there, in + at));
    _mm256_mask_storeu_epi16(out + at, there, reinterpret_cast<__m256i>(values));
  }
}

}  // namespace ortool::cpu::bf16

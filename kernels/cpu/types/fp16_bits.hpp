// float16 and bfloat16 as bit patterns, and their conversion to and from float32.
#pragma once

#include <bit>
#include <cstdint>

namespace ortool::cpu {

/// IEEE binary16.
struct Float16Bits {
  std::uint16_t bits = 0;
};

/// The upper half of an IEEE binary32.
struct BFloat16Bits {
  std::uint16_t bits = 0;
};

/// Exact; preserves subnormals and NaN payloads.
inline float to_float(Float16Bits value) {
  const std::uint32_t sign = (value.bits & 0x8000U) << 16;
  const std::uint32_t magnitude = value.bits & 0x7fffU;
  if (magnitude >= 0x7c00U) return std::bit_cast<float>(sign | (magnitude << 13) | 0x7f800000U);
  if (magnitude >= 0x0400U) return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000U));
  const float subnormal = static_cast<float>(magnitude) * 0x1p-24F;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(subnormal));
}

inline float to_float(BFloat16Bits value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

inline float to_float(float value) {
  return value;
}

/// Rounds ties to even; overflow becomes infinity, NaN stays a quiet NaN.
inline Float16Bits to_float16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  std::uint32_t half = 0;
  if (magnitude > 0x7f800000U) {
    half = 0x7e00U | ((magnitude >> 13) & 0x03ffU);
  } else if (magnitude >= 0x477ff000U) {
    half = 0x7c00U;
  } else if (magnitude >= 0x38800000U) {
    const std::uint32_t odd = (magnitude >> 13) & 1U;
    half = (magnitude - 0x38000000U + 0x0fffU + odd) >> 13;
  } else {
    // Adding 1/2 moves the subnormal's ten bits to the end, rounded by the hardware.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    half = std::bit_cast<std::uint32_t>(shifted) - 0x3f000000U;
  }
  return {static_cast<std::uint16_t>(sign | half)};
}

/// Rounds ties to even; NaN stays a quiet NaN.
inline BFloat16Bits to_bfloat16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) {
    return {static_cast<std::uint16_t>((bits >> 16) | 0x0040U)};
  }
  return {static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16)};
}

inline void from_float(float value, Float16Bits& out) {
  out = to_float16(value);
}
inline void from_float(float value, BFloat16Bits& out) {
  out = to_bfloat16(value);
}
inline void from_float(float value, float& out) {
  out = value;
}

/// Converts arrays of either type; `in` and `out` must not overlap.
template <typename Half>
void convert_to_float(const Half* in, float* out, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = to_float(in[i]);
}

template <typename Half>
void convert_from_float(const float* in, Half* out, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) from_float(in[i], out[i]);
}

}  // namespace ortool::cpu

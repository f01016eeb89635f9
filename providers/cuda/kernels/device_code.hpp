// Device code: what kernels need to compile for the GPU by nvcc, and for the host by any compiler.
//
// On the host, the threads of a block are loops between barriers: ORTOOL_THREADS runs its body for
// each thread and ends in a barrier; PerThread holds what a thread keeps across barriers;
// ORTOOL_SHARED is memory of the block. A kernel is a function of a Block and of its parameters.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define ORTOOL_DEVICE __device__ __forceinline__
/// What is called from many places and takes much code.
#define ORTOOL_DEVICE_CALL __device__ __noinline__
#define ORTOOL_UNROLL _Pragma("unroll")
#define ORTOOL_NO_UNROLL _Pragma("unroll 1")
#else
#define ORTOOL_DEVICE inline
#define ORTOOL_DEVICE_CALL inline
#define ORTOOL_UNROLL
#define ORTOOL_NO_UNROLL
#endif

namespace ortool::cuda {

/// The block that runs: its position in the grid, and its threads.
struct Block {
#ifdef __CUDACC__
  ORTOOL_DEVICE int64_t index() const {
    return blockIdx.x;
  }
  ORTOOL_DEVICE int64_t blocks() const {
    return gridDim.x;
  }
  ORTOOL_DEVICE int threads() const {
    return static_cast<int>(blockDim.x);
  }
#else
  int64_t index_in_grid;
  int64_t blocks_in_grid;
  int threads_in_block;
  bool runs_backward;  ///< threads run last to first: a race between barriers shows

  int64_t index() const {
    return index_in_grid;
  }
  int64_t blocks() const {
    return blocks_in_grid;
  }
  int threads() const {
    return threads_in_block;
  }
  int thread_at(int place) const {
    return runs_backward ? threads_in_block - 1 - place : place;
  }
#endif
};

/// Elements that each thread keeps across barriers.
template <typename T, int count>
struct PerThread {
#ifdef __CUDACC__
  T value;
  ORTOOL_DEVICE T& operator[](int) {
    return value;
  }
#else
  T value[static_cast<unsigned>(count)];
  T& operator[](int thread) {
    return value[thread];
  }
#endif
};

#ifdef __CUDACC__
#define ORTOOL_THREADS(block, thread)                                            \
  for (int thread = static_cast<int>(threadIdx.x), ortool_once = 1; ortool_once; \
       ortool_once = 0, __syncthreads())
#define ORTOOL_SHARED(type, name, count) __shared__ type name[count]
#else
#define ORTOOL_THREADS(block, thread)                                                         \
  for (int ortool_place = 0, thread = (block).thread_at(0); ortool_place < (block).threads(); \
       ++ortool_place, thread = (block).thread_at(ortool_place))
#define ORTOOL_SHARED(type, name, count) static thread_local type name[static_cast<unsigned>(count)]
#endif

/// Element types, with ONNX's numbers.
enum ElementType : int32_t {
  element_f32 = 1,
  element_u8 = 2,
  element_i8 = 3,
  element_u16 = 4,
  element_i16 = 5,
  element_i32 = 6,
  element_i64 = 7,
  element_bool = 9,
  element_f16 = 10,
  element_f64 = 11,
  element_u32 = 12,
  element_u64 = 13,
  element_bf16 = 16,
  element_f8e4m3 = 17,
  element_f8e5m2 = 19,
};

ORTOOL_DEVICE float float_of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}
ORTOOL_DEVICE uint32_t bits_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

#ifdef __CUDACC__
ORTOOL_DEVICE float float_of_half(uint16_t half) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
  return value;
}
ORTOOL_DEVICE uint16_t half_of_float(float value) {
  uint16_t half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
  return half;
}
ORTOOL_DEVICE void set_flag(int32_t* flag, int32_t value) {
  atomicMax(flag, value);
}
#else
inline float float_of_half(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000U) << 16U;
  const uint32_t exponent = (half >> 10U) & 31U;
  const uint32_t fraction = half & 0x3FFU;
  if (exponent == 31) return float_of_bits(sign | 0x7F800000U | (fraction << 13U));
  if (exponent == 0) {
    const float magnitude = ldexpf(static_cast<float>(fraction), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  return float_of_bits(sign | ((exponent + 112U) << 23U) | (fraction << 13U));
}
inline uint16_t half_of_float(float value) {
  const uint32_t bits = bits_of_float(value);
  const uint32_t sign = (bits >> 16U) & 0x8000U;
  const float magnitude = fabsf(value);
  if (isnan(value)) return static_cast<uint16_t>(sign | 0x7E00U);
  if (magnitude >= 65520.0F) return static_cast<uint16_t>(sign | 0x7C00U);
  if (magnitude < 6.103515625e-05F) {
    return static_cast<uint16_t>(sign | static_cast<uint32_t>(nearbyintf(ldexpf(magnitude, 24))));
  }
  const uint32_t rounded = (bits & 0x7FFFFFFFU) + 0xFFFU + ((bits >> 13U) & 1U);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000U) >> 13U));
}
inline void set_flag(int32_t* flag, int32_t value) {
  if (value > *flag) *flag = value;
}
#endif

ORTOOL_DEVICE float float_of_bfloat(uint16_t bits) {
  return float_of_bits(static_cast<uint32_t>(bits) << 16U);
}
ORTOOL_DEVICE uint16_t bfloat_of_float(float value) {
  const uint32_t bits = bits_of_float(value);
  if (value != value) return static_cast<uint16_t>((bits >> 16U) | 0x40U);
  return static_cast<uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

ORTOOL_DEVICE bool is_float8(int32_t type) {
  return type == element_f8e4m3 || type == element_f8e5m2;
}
ORTOOL_DEVICE float float_of_float8(int32_t type, uint8_t bits) {
  if (type == element_f8e5m2) return float_of_half(static_cast<uint16_t>(bits << 8U));
  const uint32_t sign = static_cast<uint32_t>(bits & 0x80U) << 24U;
  const uint32_t magnitude = bits & 0x7FU;
  if (magnitude == 0x7FU) return float_of_bits(sign | 0x7FC00000U);
  constexpr float least = 0.001953125F;
  constexpr uint32_t rebias = 120;
  const float value = magnitude < 8 ? static_cast<float>(magnitude) * least
                                    : float_of_bits((magnitude << 20U) + (rebias << 23U));
  return sign != 0 ? -value : value;
}
/// The nearest one, ties to even; numbers beyond the greatest become it.
ORTOOL_DEVICE uint8_t float8_of_float(int32_t type, float value) {
  const bool is_wide = type == element_f8e5m2;
  const uint32_t bits = bits_of_float(value);
  const auto sign = static_cast<uint8_t>(bits >> 24U & 0x80U);
  const uint32_t greatest = is_wide ? 0x7BU : 0x7EU;
  if (value != value) return static_cast<uint8_t>(sign | 0x7FU);
  const float magnitude = fabsf(value);
  if (magnitude >= (is_wide ? 57344.0F : 448.0F)) return static_cast<uint8_t>(sign | greatest);
  // Subnormal ones are multiples of the least.
  const float least_normal = is_wide ? 6.103515625e-05F : 0.015625F;
  const float unit = is_wide ? 65536.0F : 512.0F;
  if (magnitude < least_normal)
    return static_cast<uint8_t>(sign | static_cast<uint8_t>(rintf(magnitude * unit)));
  const uint32_t dropped = is_wide ? 21U : 20U;
  const uint32_t rebias = is_wide ? 112U << 2U : 120U << 3U;
  const uint32_t whole = bits & 0x7FFFFFFFU;
  const uint32_t half = (1U << (dropped - 1U)) - 1U;
  const uint32_t code = ((whole + half + (whole >> dropped & 1U)) >> dropped) - rebias;
  return static_cast<uint8_t>(sign | (code > greatest ? greatest : code));
}

/// Storage of kernels that are made for one element type, or for any, known at run time.
struct FloatStore {};
struct HalfStore {};
struct AnyStore {};

template <typename Number, typename From>
ORTOOL_DEVICE Number load_as(const void* data, int64_t index) {
  return static_cast<Number>(static_cast<const From*>(data)[index]);
}

/// The element at `index` as a number for arithmetic.
template <typename Number>
ORTOOL_DEVICE Number load(AnyStore, const void* data, int32_t type, int64_t index) {
  switch (type) {
    case element_f32:
      return load_as<Number, float>(data, index);
    case element_f16:
      return static_cast<Number>(float_of_half(static_cast<const uint16_t*>(data)[index]));
    case element_bf16:
      return static_cast<Number>(float_of_bfloat(static_cast<const uint16_t*>(data)[index]));
    case element_f64:
      return load_as<Number, double>(data, index);
    case element_i8:
      return load_as<Number, int8_t>(data, index);
    case element_u8:
    case element_bool:
      return load_as<Number, uint8_t>(data, index);
    case element_i16:
      return load_as<Number, int16_t>(data, index);
    case element_u16:
      return load_as<Number, uint16_t>(data, index);
    case element_i32:
      return load_as<Number, int32_t>(data, index);
    case element_u32:
      return load_as<Number, uint32_t>(data, index);
    default:
      return load_as<Number, int64_t>(data, index);
  }
}
template <typename Number>
ORTOOL_DEVICE Number load(FloatStore, const void* data, int32_t, int64_t index) {
  return load_as<Number, float>(data, index);
}
template <typename Number>
ORTOOL_DEVICE Number load(HalfStore, const void* data, int32_t, int64_t index) {
  return static_cast<Number>(float_of_half(static_cast<const uint16_t*>(data)[index]));
}

/// A number as an integer: floats beyond its range become the nearest one, NaN 0.
ORTOOL_DEVICE int64_t integer_of(int64_t value) {
  return value;
}
ORTOOL_DEVICE int64_t integer_of(double value) {
  if (value != value) return 0;
  if (value >= 9223372036854775808.0) return INT64_MAX;
  return value < -9223372036854775808.0 ? INT64_MIN : static_cast<int64_t>(value);
}
ORTOOL_DEVICE int64_t integer_of(float value) {
  return integer_of(static_cast<double>(value));
}

ORTOOL_DEVICE int32_t narrow_integer(int64_t value) {
  return static_cast<int32_t>(value);
}
ORTOOL_DEVICE int32_t narrow_integer(double value) {
  if (value != value) return 0;
  if (value >= 2147483648.0) return INT32_MAX;
  return value < -2147483648.0 ? INT32_MIN : static_cast<int32_t>(value);
}
ORTOOL_DEVICE int32_t narrow_integer(float value) {
  return narrow_integer(static_cast<double>(value));
}

template <typename Number>
ORTOOL_DEVICE void store(AnyStore, void* data, int32_t type, int64_t index, Number value) {
  switch (type) {
    case element_f32:
      static_cast<float*>(data)[index] = static_cast<float>(value);
      break;
    case element_f16:
      static_cast<uint16_t*>(data)[index] = half_of_float(static_cast<float>(value));
      break;
    case element_bf16:
      static_cast<uint16_t*>(data)[index] = bfloat_of_float(static_cast<float>(value));
      break;
    case element_f64:
      static_cast<double*>(data)[index] = static_cast<double>(value);
      break;
    case element_bool:
      static_cast<uint8_t*>(data)[index] = static_cast<uint8_t>(value != Number(0));
      break;
    case element_i8:
    case element_u8:
      static_cast<uint8_t*>(data)[index] = static_cast<uint8_t>(narrow_integer(value));
      break;
    case element_i16:
    case element_u16:
      static_cast<uint16_t*>(data)[index] = static_cast<uint16_t>(narrow_integer(value));
      break;
    case element_i32:
      static_cast<int32_t*>(data)[index] = narrow_integer(value);
      break;
    case element_u32:
      static_cast<uint32_t*>(data)[index] = static_cast<uint32_t>(integer_of(value));
      break;
    default:
      static_cast<int64_t*>(data)[index] = integer_of(value);
      break;
  }
}
template <typename Number>
ORTOOL_DEVICE void store(FloatStore, void* data, int32_t, int64_t index, Number value) {
  static_cast<float*>(data)[index] = static_cast<float>(value);
}
template <typename Number>
ORTOOL_DEVICE void store(HalfStore, void* data, int32_t, int64_t index, Number value) {
  static_cast<uint16_t*>(data)[index] = half_of_float(static_cast<float>(value));
}

template <typename T>
ORTOOL_DEVICE T least_of(T a, T b) {
  return b < a ? b : a;
}
template <typename T>
ORTOOL_DEVICE T greatest_of(T a, T b) {
  return a < b ? b : a;
}

}  // namespace ortool::cuda

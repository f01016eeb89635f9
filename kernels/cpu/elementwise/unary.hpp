// Unary elementwise functions.
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "kernels/cpu/isa/unary_op.hpp"
#include "kernels/cpu/types/fp16_bits.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

// For all functions: `count` elements in and out; `out` may be `in` if the types are equal. NaN
// stays NaN (relu, clip) or becomes 0 (thresholded_relu, shrink). Nothing is thrown except on a
// stop request.

/// Within 4 ulp for exp, log, tanh, erf and sigmoid, 1 ulp for sin and cos; correctly rounded where
/// the hardware operation is; other trigonometric and hyperbolic functions use libm. Subnormals are
/// kept.
void unary(UnaryOp op, UnaryParameters parameters, const float* in, float* out, std::int64_t count,
           Workers& workers, Isa isa);

/// Computed with libm.
void unary(UnaryOp op, UnaryParameters parameters, const double* in, double* out,
           std::int64_t count, Workers& workers, Isa isa);

/// Computed in float32, rounded once.
void unary(UnaryOp op, UnaryParameters parameters, const Float16Bits* in, Float16Bits* out,
           std::int64_t count, Workers& workers, Isa isa);
void unary(UnaryOp op, UnaryParameters parameters, const BFloat16Bits* in, BFloat16Bits* out,
           std::int64_t count, Workers& workers, Isa isa);

/// relu, negate, absolute and sign for integers of any width (negating the lowest value wraps to
/// itself). Other operations are a programming error.
template <typename Integer>
void unary_integer(UnaryOp op, const Integer* in, Integer* out, std::int64_t count,
                   Workers& workers);

/// erf and shrink for integers of any width: the exact result, truncated and saturated.
template <typename Integer>
void unary_real_integer(UnaryOp op, UnaryParameters parameters, const Integer* in, Integer* out,
                        std::int64_t count, Workers& workers);

/// min(max(x, low), high) for any arithmetic type.
template <typename T>
void clip(const T* in, T* out, std::int64_t count, T low, T high, Workers& workers);

/// T: float, double, Float16Bits, BFloat16Bits. `out` is set to 0 or 1. The float8 overloads take
/// one of the float8 types.
template <typename T>
void is_nan(const T* in, bool* out, std::int64_t count, Workers& workers);
template <typename T>
void is_infinite(const T* in, bool* out, std::int64_t count, bool positive, bool negative,
                 Workers& workers);

void is_nan_float8(DataType type, const std::uint8_t* in, bool* out, std::int64_t count,
                   Workers& workers);
void is_infinite_float8(DataType type, const std::uint8_t* in, bool* out, std::int64_t count,
                        bool positive, bool negative, Workers& workers);

void logical_not(const bool* in, bool* out, std::int64_t count, Workers& workers);

template <typename Integer>
void bitwise_not(const Integer* in, Integer* out, std::int64_t count, Workers& workers);

}  // namespace ortool::cpu

// Every floating format of ONNX as bits: exact decoding, and encoding with one rounding.
#pragma once

#include <cstdint>

#include "libcore/tensor/data_type.hpp"

namespace ortool {

/// How float8e8m0, which holds powers of two only, takes what lies between two of them.
enum class PowerRounding { up, down, nearest };

/// What ONNX's Cast lets a model choose (https://onnx.ai/onnx/operators/onnx__Cast.html).
struct FloatCast {
  /// float8 only: what is too large becomes the largest number, else infinity or NaN.
  bool saturate = true;
  PowerRounding power_rounding = PowerRounding::up;
};

/// The value that `bits` stand for in the floating type `type`. Exact, for all types; payloads of
/// NaNs are kept where the format has them.
double decode_float(DataType type, std::uint64_t bits);

/// The bits nearest to `value`, half to even, rounded once. Too large becomes infinity in float16,
/// bfloat16 and float32, the largest number in float4 and float6; float8 goes by `cast`. float4 and
/// float6 have no NaN and take it as -0. float8e8m0 has no sign: what is below zero becomes NaN.
std::uint64_t encode_float(DataType type, double value, FloatCast cast = {});

/// The largest finite value of a floating type.
double largest_float(DataType type);

}  // namespace ortool

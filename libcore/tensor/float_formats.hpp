// Bit-level conversion of all floating-point formats of ONNX: exact decoding, single rounding.
#pragma once

#include <cstdint>

#include "libcore/tensor/data_type.hpp"

namespace ortool {

/// Rounding to float8e8m0, which represents powers of two only.
enum class PowerRounding { up, down, nearest };

/// Options of ONNX's Cast (https://onnx.ai/onnx/operators/onnx__Cast.html).
struct FloatCast {
  /// For float8: overflow gives the largest finite value instead of infinity or NaN.
  bool saturate = true;
  PowerRounding power_rounding = PowerRounding::up;
};

/// The value of `bits` in the floating-point type `type`. Exact for all types; NaN payloads are
/// kept where the format has them.
double decode_float(DataType type, std::uint64_t bits);

/// The bits nearest to `value`, rounded once, half to even. Overflow gives infinity in float16,
/// bfloat16 and float32, and the largest value in float4 and float6; float8 depends on `cast`.
/// float4 and float6 have no NaN and encode it as -0. float8e8m0 has no sign: negative values
/// become NaN.
std::uint64_t encode_float(DataType type, double value, FloatCast cast = {});

/// The largest finite value of a floating-point type.
double largest_float(DataType type);

}  // namespace ortool

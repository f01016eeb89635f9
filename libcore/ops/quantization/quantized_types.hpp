// Element types of quantized tensors and their scales, in the order in which versions added them.
#pragma once

#include "libcore/ops/op_schema.hpp"

namespace ortool::types {

constexpr TypeSet bytes = types_of({int8, uint8});
constexpr TypeSet bytes_and_float8 =
    bytes | types_of({float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz});
constexpr TypeSet quantized_21 = bytes_and_float8 | types_of({int16, uint16, int4, uint4});
constexpr TypeSet quantized_23 = quantized_21 | types_of({float4e2m1});
constexpr TypeSet quantized_25 = quantized_23 | types_of({int2, uint2});
constexpr TypeSet quantized_28 = quantized_25 | types_of({float6e2m3, float6e3m2});

constexpr TypeSet scales = types_of({bfloat16, float16, float32});
constexpr TypeSet scales_24 = scales | types_of({float8e8m0});

}  // namespace ortool::types

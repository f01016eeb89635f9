// GEMM in float32 whose packed b is kept in float16 or bfloat16, which hold it exactly.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/cpu/gemm/f32/gemm.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool::cpu {

/// The type in 16 bits that `weights`, float32 or in 16 bits, lose nothing in; none: no such type,
/// or NaN and infinite elements. Reads up to the first element that shows it.
std::optional<DataType> lossless_fp16(const Tensor& weights);

/// Whether weights of k × n are kept in 16 bits where they can be: those that one core's cache
/// cannot hold, so that reading half the bytes pays for widening them.
bool keeps_fp16_weights(std::int64_t k, std::int64_t n, Isa isa);

/// As the functions of f32/gemm.hpp, with the same bits. `type` is float16 or bfloat16, and isa at
/// least avx2; n is above 1.
std::int64_t packed_fp16_b_bytes(std::int64_t k, std::int64_t n, Isa isa);
void pack_fp16_b(std::int64_t k, std::int64_t n, const StridedMatrix& b, DataType type, Isa isa,
                 std::uint16_t* out, Workers& workers);
void fp16_gemm(const GemmSizes& sizes, const StridedMatrix& a, const std::uint16_t* packed_b,
               DataType type, float* c, std::int64_t c_stride, const Epilogue& epilogue, Isa isa,
               Workers& workers);

}  // namespace ortool::cpu

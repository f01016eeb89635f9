// Weight-only quantized MatMul with rows quantized to int8 (MatMulNBits with accuracy_level 4).
#pragma once

#include <cstdint>

#include "kernels/cpu/gemm/f32/packed_product.hpp"
#include "kernels/cpu/gemm/weight_only/matmul_nbits.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// The largest block whose sums are sure to fit int32.
inline constexpr std::int64_t max_int8_block = 1 << 15;

std::int64_t packed_int8_blocks_bytes(const BlockMatMulSizes& sizes);

/// Packs into `out`, 64-byte aligned, in nearly the original size.
void pack_int8_blocks(const BlockMatMulSizes& sizes, const BlockMatrix& matrix, std::byte* out);

/// Bytes of workspace for `int8_block_matmul` run by up to `threads` threads.
std::int64_t int8_block_matmul_workspace_bytes(std::int64_t m, const BlockMatMulSizes& sizes,
                                               Isa isa, int threads);

/// out (m × n) = epilogue(a (m × k) by a packed matrix). Each block of a row of `a` is quantized to
/// int8 symmetrically; sums are exact within blocks, and floats over blocks in order of k. Bit-
/// identical on all instruction sets and for any number of threads. A row with a NaN or an infinity
/// becomes NaN. Of the epilogue, a per-column addend, the residual and the activation are
/// supported. `workspace` is 64-byte aligned.
void int8_block_matmul(std::int64_t m, const BlockMatMulSizes& sizes, const float* a,
                       const std::byte* packed, float* out, const Epilogue& epilogue, Isa isa,
                       void* workspace, Workers& workers);

}  // namespace ortool::cpu

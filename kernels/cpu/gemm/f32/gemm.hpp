// GEMM in float32: c = activate(alpha * a * b + beta * added + residual), as Epilogue says.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cpu/gemm/f32/packed_product.hpp"
#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// a is m × k, b is k × n, c is m × n, all row-major.
struct GemmSizes {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

/// Size of the packed b in bytes for `isa`.
std::int64_t packed_b_bytes(std::int64_t k, std::int64_t n, Isa isa);

/// Packs b (k × n) into `out` (packed_b_bytes, 64-byte aligned, owned by the caller).
void pack_b(std::int64_t k, std::int64_t n, const StridedMatrix& b, Isa isa, float* out,
            Workers& workers);

/// Bytes of workspace for `gemm` with a packed b; may be 0.
std::int64_t gemm_workspace_bytes(const GemmSizes& sizes, Isa isa);

/// Multiplies by b as packed by pack_b for the same k, n and isa. `workspace` is 64-byte aligned. c
/// must not overlap any operand. Results do not depend on the number of threads.
void gemm(const GemmSizes& sizes, const StridedMatrix& a, const float* packed_b, float* c,
          std::int64_t c_stride, const Epilogue& epilogue, Isa isa, void* workspace,
          Workers& workers);

/// A range of a product's columns that is stored as a matrix of its own.
struct GemmColumns {
  std::int64_t count = 0;           ///< at least 1
  const float* packed_b = nullptr;  ///< pack_b of these columns only
  float* c = nullptr;               ///< m × count, row-major
};

inline constexpr std::size_t max_gemm_columns = 8;

/// `gemm` for up to max_gemm_columns side-by-side pieces of b, each with its own output. sizes.n
/// is the sum of their counts, and epilogue and `workspace` are those of the whole product. Each
/// piece is bit-identical to a separate gemm.
void gemm_columns(const GemmSizes& sizes, const StridedMatrix& a,
                  std::span<const GemmColumns> pieces, const Epilogue& epilogue, Isa isa,
                  void* workspace, Workers& workers);

/// Bytes of workspace for `gemm_unpacked`.
std::int64_t gemm_unpacked_workspace_bytes(const GemmSizes& sizes, Isa isa);

/// The product of two matrices known only at run time; bit-identical to `gemm` with a packed b.
void gemm_unpacked(const GemmSizes& sizes, const StridedMatrix& a, const StridedMatrix& b, float* c,
                   std::int64_t c_stride, const Epilogue& epilogue, Isa isa, void* workspace,
                   Workers& workers);

/// One product of a batch: offsets in floats from the base pointers.
struct GemmOffsets {
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t c = 0;
  std::int64_t added = 0;
  std::int64_t residual = 0;
};

/// Bytes of workspace for `gemm_batched` run by up to `threads` threads.
std::int64_t gemm_batched_workspace_bytes(std::int64_t batch, const GemmSizes& sizes, Isa isa,
                                          int threads);

/// Computes one product per element of `offsets`; small ones run in parallel. `workspace` must be
/// sized for at least workers.count() threads.
void gemm_batched(std::span<const GemmOffsets> offsets, const GemmSizes& sizes,
                  const StridedMatrix& a, const StridedMatrix& b, float* c, std::int64_t c_stride,
                  const Epilogue& epilogue, Isa isa, void* workspace, Workers& workers);

}  // namespace ortool::cpu

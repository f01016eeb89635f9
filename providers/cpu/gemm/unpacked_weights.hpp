// Unpacked weights: a constant matrix that each run packs from its original place, some columns at
// a time, to save memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/gemm/packed_gemm.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool::cpu {

class MatrixInPlace {
 public:
  /// b is k × n, or n × k if `transposed`, of a float-like type and with any alignment.
  MatrixInPlace(Tensor b, std::int64_t k, std::int64_t n, bool transposed, GemmKind kind);

  /// Bytes of workspace for `multiply`; 64-byte aligned.
  std::int64_t workspace_bytes(const GemmSizes& sizes) const;
  /// Bit-identical to gemm() with a packed b. Releases pages of a mapped file every few megabytes.
  void multiply(const GemmSizes& sizes, const StridedMatrix& a, float* c, const Epilogue& epilogue,
                std::byte* workspace, Workers& workers) const;

 private:
  void copy_columns(std::int64_t first, std::int64_t count, float* out, Workers& workers) const;

  Tensor b_;
  std::int64_t k_;
  std::int64_t n_;
  bool transposed_;
  GemmKind kind_;
  std::int64_t max_columns_;  ///< per piece
};

}  // namespace ortool::cpu

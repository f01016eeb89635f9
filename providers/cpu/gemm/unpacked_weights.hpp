// A constant matrix that is not kept packed: each run packs it where it lies, some columns at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/gemm/f32/gemm.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool::cpu {

class MatrixInPlace {
 public:
  /// b is k × n, or n × k where it is `transposed`, of a float-like type and aligned to anything.
  MatrixInPlace(Tensor b, std::int64_t k, std::int64_t n, bool transposed, Isa isa);

  /// Of `multiply`; 64-byte aligned.
  std::int64_t workspace_bytes(const GemmSizes& sizes) const;
  /// As gemm() with all of b packed, bit for bit. What was read of a mapped file leaves memory
  /// behind each stretch of some megabytes.
  void multiply(const GemmSizes& sizes, const MatrixIn& a, float* c, const Epilogue& epilogue,
                std::byte* workspace, Workers& workers) const;

 private:
  void copy_columns(std::int64_t first, std::int64_t count, float* out, Workers& workers) const;

  Tensor b_;
  std::int64_t k_;
  std::int64_t n_;
  bool transposed_;
  Isa isa_;
  std::int64_t most_columns_;  ///< at a time
};

}  // namespace ortool::cpu

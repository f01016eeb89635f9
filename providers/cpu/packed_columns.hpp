// A constant matrix packed for products; in pieces where a Split behind the product hands its
// columns out, so that each is stored where it is wanted.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/gemm_f32.hpp"
#include "libcore/base/aligned_buffer.hpp"
#include "libcore/runtime/kernel.hpp"
#include "libcore/runtime/product_followers.hpp"

namespace ortool::cpu {

/// A KernelRow's `absorbs` for products whose first node reads a matrix as its input 1: what
/// can_follow takes, and where that matrix is a constant a Split of the columns at the end, into
/// parts of known sizes, none of them empty, all of them wanted.
bool follows_product(const NodeView& group, const Node& next, const ProductForm& form);

/// The followers of a group that follows_product() made, without the Split.
ProductFollowers followers_before_split(const NodeView& group, const ProductForm& form);

class PackedColumns {
 public:
  /// Packs b (k × n) as the last member of the group wants its columns.
  void pack(const NodeView& group, std::int64_t k, std::int64_t n, const MatrixIn& b, Isa isa,
            MemoryCap* cap, Workers& workers);

  bool is_empty() const { return pieces_.empty(); }
  std::int64_t size_bytes() const;
  /// The product; stored in `c` (m × n) where the columns stay together, else in the outputs of the
  /// run. `workspace` is gemm's.
  void multiply(const GemmSizes& sizes, const MatrixIn& a, float* c, const Epilogue& epilogue,
                Isa isa, void* workspace, const RunContext& context, Workers& workers) const;

 private:
  struct Piece {
    std::int64_t columns = 0;
    AlignedBuffer b;
  };
  std::vector<Piece> pieces_;
};

}  // namespace ortool::cpu

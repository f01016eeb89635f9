// A constant matrix packed for products; in pieces where a Split behind the product hands its
// columns out, so that each is stored where it is wanted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/cpu/gemm/f32/gemm.hpp"
#include "libcore/base/memory/aligned_buffer.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/product_epilogue.hpp"
#include "libcore/provider/provider.hpp"
#include "providers/cpu/gemm/unpacked_weights.hpp"

namespace ortool::cpu {

/// A KernelRow's `absorbs` for products whose first node reads a matrix as its input 1: what
/// can_follow takes, and where that matrix is a constant a Split of the columns at the end, into
/// parts of known sizes, none of them empty, all of them wanted.
bool follows_product(const NodeView& group, const Node& next, const ProductForm& form);

/// The followers of a group that follows_product() made, without the Split.
ProductFollowers followers_before_split(const NodeView& group, const ProductForm& form);

class PackedWeights {
 public:
  /// Takes over input 1 of the group's first node, a constant of a float-like type that is one
  /// matrix of k × n, or n × k where it is `transposed`: packs it as the last member of the group
  /// wants its columns, or leaves it where it lies, if the session's budget says so.
  void take(const NodeView& group, std::int64_t k, std::int64_t n, bool transposed, Isa isa,
            const CompileContext& context);

  bool is_empty() const { return pieces_.empty() && !in_place_; }
  std::int64_t size_bytes() const;
  /// Of `multiply`.
  std::int64_t workspace_bytes(const GemmSizes& sizes, Isa isa) const;
  /// The product; stored in `c` (m × n) where the columns stay together, else in the outputs of the
  /// run.
  void multiply(const GemmSizes& sizes, const MatrixIn& a, float* c, const Epilogue& epilogue,
                Isa isa, std::byte* workspace, const RunContext& context, Workers& workers) const;

 private:
  struct Piece {
    std::int64_t columns = 0;
    AlignedBuffer b;
  };
  void pack(const NodeView& group, std::int64_t k, std::int64_t n, const MatrixIn& b, Isa isa,
            const CompileContext& context);

  std::vector<Piece> pieces_;
  std::optional<MatrixInPlace> in_place_;
};

}  // namespace ortool::cpu

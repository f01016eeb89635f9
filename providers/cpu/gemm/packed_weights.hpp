// Packed weights: a constant matrix packed for products, in several pieces if a Split of the
// columns is fused, so that each piece is stored directly to its output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/cpu/gemm/packed_gemm.hpp"
#include "libcore/provider/kernel.hpp"
#include "libcore/provider/product_epilogue.hpp"
#include "libcore/provider/provider.hpp"
#include "providers/cpu/gemm/unpacked_weights.hpp"

namespace ortool::cpu {

/// A KernelRow's `absorbs` for products whose first node reads a matrix as input 1: accepts what
/// absorbs_epilogue accepts and, if that matrix is constant, a final Split of the columns into
/// nonempty parts of known sizes that are all used.
bool absorbs_epilogue_or_split(const NodeView& group, const Node& next);

/// The epilogue of a group accepted by absorbs_epilogue_or_split(), without the Split.
ProductEpilogue epilogue_before_split(const NodeView& group);

class PackedWeights {
 public:
  /// Takes input 1 of the group's first node, a constant of a float-like type: a single matrix of k
  /// × n, or n × k if `transposed`. Packs it as the group's last node wants its columns, or leaves
  /// it in place, depending on the session's memory budget.
  void take(const NodeView& group, std::int64_t k, std::int64_t n, bool transposed, GemmKind kind,
            const CompileContext& context);

  bool is_empty() const { return pieces_.empty() && !in_place_; }
  std::int64_t size_bytes() const;
  /// Bytes of workspace for `multiply`.
  std::int64_t workspace_bytes(const GemmSizes& sizes) const;
  /// Computes the product; it is stored in `c` (m × n) unless the columns are split, otherwise in
  /// the outputs of the run.
  void multiply(const GemmSizes& sizes, const StridedMatrix& a, float* c, const Epilogue& epilogue,
                std::byte* workspace, const RunContext& context, Workers& workers) const;

 private:
  struct Piece {
    std::int64_t columns = 0;
    PackedBytes b;
  };
  void pack(const NodeView& group, std::int64_t k, std::int64_t n, bool transposed,
            const CompileContext& context);

  GemmKind kind_;
  std::vector<Piece> pieces_;
  std::optional<MatrixInPlace> in_place_;
};

}  // namespace ortool::cpu

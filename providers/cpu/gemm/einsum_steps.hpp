// Einsum steps: lowers an Einsum of known shapes to copies, sums and matrix products.
#pragma once

#include <functional>
#include <vector>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/gemm/einsum_axes.hpp"

namespace ortool::cpu {

/// Contracts two operands at a time, from the left. Labels that occur in only one of them and are
/// not needed later are summed first; labels common to both and not needed later become the inner
/// dimension of a matrix product. Without such a dimension, the operands are multiplied
/// elementwise. Integers of 8 and 16 bits are computed in 32 bits, which wraps to the same result.
class EinsumSteps {
 public:
  EinsumSteps(const Einsum& op, const PrepareContext& context, Isa isa, int max_threads);

  std::int64_t workspace_bytes() const { return layout_.bytes(); }
  void run(const RunContext& context) const {
    for (const auto& step : steps_) step(context);
  }

 private:
  /// Memory of a tensor: an input, the output, or part of the workspace.
  struct Place {
    enum class Kind { input, output, workspace } kind = Kind::workspace;
    std::int64_t where = 0;

    const std::byte* read(const RunContext& run) const;
    std::byte* write(const RunContext& run) const;
  };
  struct Term {
    Place place;
    EinsumAxes axes;
  };
  using Labels = std::vector<int>;

  Place add_place(const EinsumAxes& axes, bool is_last);
  Term widen(Term term, DataType from);
  Term packed(const Term& term, const Labels& order);
  Term summed(const Term& term, const Labels& kept, bool is_last);
  Term contracted(Term a, Term b, const Labels& kept, bool is_last);
  Term multiplied(const Term& a, const Term& b, const Labels& batch, const Labels& a_free,
                  const Labels& b_free, bool is_last);
  Term matrix_product(const Term& a, const Term& b, const Labels& batch, const Labels& a_free,
                      const Labels& b_free, const Labels& inner, bool is_last);
  void finish(const Term& term);

  DataType type_;  ///< of the operands
  DataType computed_;
  Isa isa_;
  int max_threads_;
  Labels output_;
  WorkspaceLayout layout_;
  std::vector<std::function<void(const RunContext&)>> steps_;
};

}  // namespace ortool::cpu

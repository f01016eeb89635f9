// Constant evaluator: runs a provider's kernels for constant folding.
#pragma once

#include "libcore/optimize/rewrite/evaluator.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

/// Folded and computed results are bit-identical, since the same kernels compute them. Large
/// results are kept in the context's store, if it has one. Both references must outlive this
/// object.
class ConstantEvaluator : public Evaluator {
 public:
  ConstantEvaluator(const Provider& provider, const CompileContext& context)
      : provider_(provider), context_(context), derived_(context.derived) {
    // Kernels that are compiled for folding alone keep nothing.
    context_.derived = nullptr;
  }

  std::optional<std::vector<Tensor>> evaluate(const Node& node, std::int64_t max_bytes) override;

 private:
  std::optional<std::vector<RunValue>> compute(const NodeView& view, std::int64_t max_bytes) const;
  /// The same without looking for a kept result.
  std::optional<std::vector<RunValue>> run(const NodeView& view, std::span<const Operand> inputs,
                                           const std::optional<std::vector<Operand>>& outputs,
                                           std::int64_t max_bytes) const;

  const Provider& provider_;
  CompileContext context_;
  DerivedStore* derived_;
};

}  // namespace ortool

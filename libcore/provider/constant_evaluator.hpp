// Constant evaluator: runs a provider's kernels for constant folding.
#pragma once

#include "libcore/optimize/rewrite/evaluator.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

/// Folded and computed results are bit-identical, since the same kernels compute them. Both
/// references must outlive this object.
class ConstantEvaluator : public Evaluator {
 public:
  ConstantEvaluator(const Provider& provider, const CompileContext& context)
      : provider_(provider), context_(context) {}

  std::optional<std::vector<Tensor>> evaluate(const Node& node, std::int64_t max_bytes) override;

 private:
  std::optional<std::vector<RunValue>> compute(const NodeView& view, std::int64_t max_bytes) const;

  const Provider& provider_;
  const CompileContext& context_;
};

}  // namespace ortool

// A provider's kernels, for the optimiser to compute constants with.
#pragma once

#include "libcore/optimize/rewrite/evaluator.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

/// Folded and computed bits agree, since the same kernels make them. Both references must outlive
/// it.
class ConstantEvaluator : public Evaluator {
 public:
  ConstantEvaluator(const Provider& provider, const CompileContext& context)
      : provider_(provider), context_(context) {}

  std::optional<std::vector<Tensor>> evaluate(const Node& node, std::int64_t most_bytes) override;

 private:
  std::optional<std::vector<RunValue>> compute(const Node& node, std::int64_t most_bytes) const;

  const Provider& provider_;
  const CompileContext& context_;
};

}  // namespace ortool

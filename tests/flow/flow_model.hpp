// Control-flow test model: nested nodes, with inputs for several runs.
#pragma once

#include <memory>
#include <vector>

#include "tests/flow/flow_plan.hpp"

namespace ortool::test {

struct FlowModel {
  std::unique_ptr<Model> model;
  std::vector<NamedValues> runs;  ///< which take different branches
};

/// Deterministic for a given plan and dice.
FlowModel make_flow_model(RandomSource& dice, const BodyPlan& plan);

}  // namespace ortool::test

// Placement of nodes: lists the steps of a program and of its bodies.
#include "libcore/runtime/placement.hpp"

#include <algorithm>

#include "libcore/graph/graph.hpp"
#include "libcore/lower/codes/keep_float8_products.hpp"
#include "libcore/lower/lower.hpp"
#include "libcore/optimize/rewrite/rewriter.hpp"
#include "libcore/runtime/program.hpp"

namespace ortool {
namespace {

/// The names of the nodes that rules derived the node from; empty for a node of the file.
std::vector<std::string> rewritten_origins(const Node& node) {
  const Metadata& metadata = node.metadata();
  const bool is_rewritten = std::any_of(metadata.begin(), metadata.end(), [](const auto& entry) {
    return entry.first == origin_key;
  });
  return is_rewritten ? origins_of(node) : std::vector<std::string>();
}

using RewriteEvents = std::vector<const RewriteEvent*>;

/// What lowering noted of products of float8 that are computed in floats.
RewriteEvents float8_refusals(const LoweringReport& lowering) {
  RewriteEvents refusals;
  for (const RewriteEvent& event : lowering.rewrites.events) {
    if (event.rule == keep_float8_name && !event.reason.empty()) refusals.push_back(&event);
  }
  return refusals;
}

/// The reasons of those that concern the node.
std::vector<std::string> reasons_of(const RewriteEvents& refusals, const Node& node) {
  std::vector<std::string> reasons;
  if (refusals.empty()) return reasons;
  const std::vector<std::string> origins = origins_of(node);
  for (const RewriteEvent* event : refusals) {
    if (std::find(origins.begin(), origins.end(), event->node) == origins.end()) continue;
    if (std::find(reasons.begin(), reasons.end(), event->reason) == reasons.end())
      reasons.push_back(event->reason);
  }
  return reasons;
}

void add_steps(const Program& program, const RewriteEvents& refusals,
               std::vector<Placement>& placement) {
  for (const CompiledStep& step : program.steps()) {
    for (const Node* member : step.view.members()) {
      placement.push_back({std::string(member->name()), std::string(member->op_type()),
                           std::string(step.provider_name()), std::string(step.kernel_name()),
                           step.reasons, rewritten_origins(*member)});
      for (std::string& reason : reasons_of(refusals, *member))
        placement.back().reasons.push_back(std::move(reason));
    }
    if (step.control_flow == nullptr) continue;
    for (const Program* body : step.control_flow->programs()) add_steps(*body, refusals, placement);
  }
}

}  // namespace

std::vector<Placement> list_placement(const Program& program, const LoweringReport& lowering) {
  std::vector<Placement> placement;
  add_steps(program, float8_refusals(lowering), placement);
  return placement;
}

}  // namespace ortool

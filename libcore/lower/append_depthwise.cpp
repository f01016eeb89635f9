// Depthwise post-ops: finds pairs of groups by the value between them.
#include "libcore/lower/append_depthwise.hpp"

#include <unordered_map>
#include <utility>

#include "libcore/graph/value.hpp"
#include "libcore/provider/post_op_provider.hpp"

namespace ortool {
namespace {

/// The group's only output, if a single node reads it once.
const Value* value_between(const NodeView& group) {
  const std::vector<Value*> outputs = group.outputs();
  if (outputs.size() != 1 || outputs[0] == nullptr) return nullptr;
  const auto& uses = outputs[0]->uses();
  return uses.size() == 1 && uses.begin()->kind == Use::Kind::input ? outputs[0] : nullptr;
}

/// The nodes and layouts of both, without the value between them, the first input of `next`.
NodeView merged(const NodeView& group, const NodeView& next) {
  std::vector<const Node*> members(group.members().begin(), group.members().end());
  members.insert(members.end(), next.members().begin(), next.members().end());
  NodeView result(std::move(members), group.constants());
  LayoutChoice layouts;
  const std::size_t own = group.inputs().size();
  for (std::size_t i = 0; i < own; ++i) layouts.inputs.push_back(group.layouts().input(i));
  for (std::size_t i = 1; i < next.inputs().size(); ++i)
    layouts.inputs.push_back(next.layouts().input(i));
  layouts.outputs = next.layouts().outputs;
  layouts.nanoseconds = group.layouts().nanoseconds + next.layouts().nanoseconds;
  result.set_layouts(std::move(layouts));
  return result;
}

}  // namespace

std::int64_t append_depthwise(std::vector<PlacedGroup>& groups) {
  std::unordered_map<const Value*, PlacedGroup*> producers;  // of values that one node reads
  std::unordered_map<const PlacedGroup*, bool> is_merged;
  std::int64_t count = 0;
  for (PlacedGroup& group : groups) {
    const auto* provider = dynamic_cast<const PostOpProvider*>(group.provider);
    if (provider == nullptr) continue;
    const Value* const read =
        group.view.node().input_count() > 0 ? group.view.node().input(0) : nullptr;
    const auto found = read != nullptr ? producers.find(read) : producers.end();
    if (found != producers.end() && found->second->provider == provider &&
        found->second->view.layouts().output(0) == group.view.layouts().input(0) &&
        provider->appends(found->second->view, group.view)) {
      PlacedGroup& first = *found->second;
      group.view = merged(first.view, group.view);
      group.reasons.insert(group.reasons.begin(), first.reasons.begin(), first.reasons.end());
      is_merged[&first] = true;
      ++count;
      continue;  // a third convolution has a kernel of its own
    }
    if (const Value* value = value_between(group.view); value != nullptr) producers[value] = &group;
  }
  std::vector<PlacedGroup> result;
  result.reserve(groups.size());
  for (PlacedGroup& group : groups) {
    if (!is_merged.contains(&group)) result.push_back(std::move(group));
  }
  groups = std::move(result);
  return count;
}

std::int64_t append_depthwise(PlacedGraphs& placed) {
  std::int64_t count = 0;
  for (auto& [graph, groups] : placed) count += append_depthwise(groups);
  return count;
}

}  // namespace ortool

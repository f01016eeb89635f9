// Node group: follows outputs with a single consumer.
#include "libcore/provider/node_group.hpp"

#include "libcore/graph/algorithms/traverse.hpp"

namespace ortool {
namespace {

/// The only consumer of the node's only used output.
const Node* only_consumer(const Node& node) {
  for (std::int64_t i = 1; i < node.output_count(); ++i) {
    if (node.output(i) != nullptr && !node.output(i)->uses().empty()) return nullptr;
  }
  const Value* output = node.output(0);
  return output != nullptr ? only_consumer(*output) : nullptr;
}

}  // namespace

std::vector<const Node*> gather_group(const Node& first, std::unordered_set<const Node*>& absorbed,
                                      FunctionRef<bool(const NodeView&, const Node&)> absorbs) {
  std::vector<const Node*> members = {&first};
  while (true) {
    const Node* next = only_consumer(*members.back());
    if (next == nullptr || absorbed.contains(next) || !absorbs(NodeView(members), *next))
      return members;
    members.push_back(next);
    absorbed.insert(next);
  }
}

}  // namespace ortool

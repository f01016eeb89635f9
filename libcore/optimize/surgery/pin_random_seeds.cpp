// Random seeds: the attribute has the type that the operator's version specifies.
#include "libcore/optimize/surgery/pin_random_seeds.hpp"

#include <utility>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"

namespace ortool {
namespace {

constexpr std::string_view seed_name = "seed";

/// The specification of a missing seed; null when there is none.
const AttributeSpec* missing_seed(const Node& node) {
  if (!may_change(node) || node.find_attribute(seed_name) != nullptr) return nullptr;
  // Without its third input it is the identity.
  const bool is_idle = node.op_type() == "Dropout" && node.input_count() < 3;
  if (is_idle) return nullptr;
  const OpEntry* entry = find_op(node.domain(), node.op_type());
  const OpVersion* version = entry != nullptr ? version_of(*entry, node) : nullptr;
  return version != nullptr ? version->find_attribute(seed_name) : nullptr;
}

void pin_in(Graph& main, std::int64_t& count) {
  for (Graph* graph : graphs_in(main)) {
    for (Node& node : graph->nodes()) {
      const AttributeSpec* spec = missing_seed(node);
      if (spec == nullptr) continue;
      ++count;
      Attribute seed;
      seed.name = seed_name;
      if (spec->kind == AttributeKind::integer) {
        seed.value = count;
      } else {
        seed.value = static_cast<float>(count);
      }
      node.set_attribute(std::move(seed));
    }
  }
}

}  // namespace

std::int64_t pin_random_seeds(Model& model) {
  std::int64_t count = 0;
  pin_in(*model.graph, count);
  for (Function& function : model.functions) pin_in(*function.body, count);
  return count;
}

}  // namespace ortool

// Follows captures outward, and creates them inward.
#include "libcore/graph/algorithms/captured.hpp"

#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {

Value& captured_root(Value& value) {
  return const_cast<Value&>(captured_root(std::as_const(value)));
}

const Value& captured_root(const Value& value) {
  const Value* root = &value;
  while (root->captured() != nullptr) root = root->captured();
  return *root;
}

Value& seen_in(Graph& graph, Value& outer) {
  if (outer.is_in(graph)) return outer;
  ORTOOL_CHECK(graph.owner() != nullptr);
  return graph.capture(seen_in(graph.owner()->graph(), outer));
}

}  // namespace ortool

// Node predicates of a session's graph.
#include "libcore/lower/node_predicates.hpp"

#include <algorithm>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/own_domain.hpp"

namespace ortool {

bool has_plain_attributes(const Node& node) {
  const auto is_plain = [](const Attribute& attribute) {
    switch (attribute.kind()) {
      case AttributeKind::float_number:
      case AttributeKind::integer:
      case AttributeKind::string:
      case AttributeKind::floats:
      case AttributeKind::integers:
        return attribute.reference.empty();
      default:
        return false;
    }
  };
  return std::all_of(node.attributes().begin(), node.attributes().end(), is_plain);
}

bool is_control_flow(const Node& node) {
  return traits_of(node).has(OpTrait::control_flow);
}

bool is_reorder(const Node& node) {
  return node.op_type() == "Reorder" && node.domain() == own_domain;
}

}  // namespace ortool

// What nodes of sessions are.
#include "libcore/lower/session_nodes.hpp"

#include <algorithm>
#include <string_view>

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
  if (!node.domain().empty()) return false;
  const std::string_view op_type = node.op_type();
  return op_type == "If" || op_type == "Loop" || op_type == "Scan" || op_type == "SequenceMap";
}

bool is_reorder(const Node& node) {
  return node.op_type() == "Reorder" && node.domain() == own_domain;
}

}  // namespace ortool

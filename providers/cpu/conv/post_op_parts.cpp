// Post-op parts: cuts a merged group at its second convolution.
#include "providers/cpu/conv/post_op_parts.hpp"

#include <algorithm>

#include "libcore/base/error.hpp"

namespace ortool::cpu {
namespace {

/// The position of the second node of the first one's operator; 0: there is none.
std::size_t second_conv(const NodeView& group) {
  const auto fused = group.fused_nodes();
  const auto found = std::find_if(fused.begin(), fused.end(), [&](const Node* node) {
    return node->op_type() == group.node().op_type() && node->domain() == group.node().domain();
  });
  return found == fused.end() ? 0 : static_cast<std::size_t>(found - fused.begin()) + 1;
}

/// Some members as a group.
NodeView part_of(const NodeView& group, std::size_t begin, std::size_t end, Layout read) {
  const auto members = group.members().subspan(begin, end - begin);
  NodeView part(std::vector<const Node*>(members.begin(), members.end()), group.constants());
  part.set_layouts({.inputs = {read}, .outputs = {group.layouts().output(0)}, .nanoseconds = 0});
  return part;
}

}  // namespace

bool is_post_op(const NodeView& group) {
  return second_conv(group) > 0;
}

std::string post_op_name(const KernelRow& row) {
  constexpr std::string_view layout = "nchwc";
  std::string name(row.name);
  const std::size_t at = name.find(layout);
  ORTOOL_CHECK(at != std::string::npos);
  return name.insert(at, "depthwise_");
}

PostOpParts::PostOpParts(const NodeView& group)
    : dense(part_of(group, 0, second_conv(group), group.layouts().input(0))),
      depthwise(
          part_of(group, second_conv(group), group.members().size(), group.layouts().output(0))),
      dense_inputs(dense.inputs().size()) {}

}  // namespace ortool::cpu

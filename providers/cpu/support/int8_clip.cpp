// Fused int8 Clip: reads constant bounds.
#include "providers/cpu/support/int8_clip.hpp"

#include <algorithm>

#include "libcore/tensor/convert.hpp"

namespace ortool::cpu {
namespace {

/// A bound of an int8 Clip: a constant, or omitted, which keeps the present limit.
bool read_bound(const Value* bound, std::int32_t& limit) {
  if (bound == nullptr) return true;
  if (!bound->is_constant() || bound->constant().element_count() != 1) return false;
  const DataType type = bound->constant().type();
  if (type != DataType::int8 && type != DataType::uint8) return false;
  limit = static_cast<std::int32_t>(element_as_int64(bound->constant(), 0));
  return true;
}

bool narrow(const Node& node, const Value* previous, Int8Limits& limits) {
  if (node.op_type() != "Clip" || !node.domain().empty() || node.input(0) != previous) return false;
  Int8Limits given = limits;
  if (!read_bound(node.input(1), given.low) || !read_bound(node.input(2), given.high)) return false;
  // The order of Clip: first max with the lower bound, then min with the upper one.
  const auto clip = [&](std::int32_t value) {
    return std::min(std::max(value, given.low), given.high);
  };
  limits = {clip(limits.low), clip(limits.high)};
  return true;
}

}  // namespace

std::optional<Int8Limits> int8_limits(const NodeView& group, DataType type) {
  Int8Limits limits = Int8Limits::of(type);
  const Value* previous = group.node().output(0);
  for (const Node* follower : group.followers()) {
    if (!narrow(*follower, previous, limits)) return std::nullopt;
    previous = follower->output(0);
  }
  return limits;
}

bool absorbs_int8_clip(const NodeView& group, const Node& next) {
  Int8Limits limits;
  return narrow(next, group.members().back()->output(0), limits);
}

}  // namespace ortool::cpu

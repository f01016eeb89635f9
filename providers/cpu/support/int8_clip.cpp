// Bounds are read from the constants beside the clipped value.
#include "providers/cpu/support/int8_clip.hpp"

#include <algorithm>

#include "libcore/tensor/convert.hpp"

namespace ortool::cpu {
namespace {

/// A bound of a Clip of bytes: a constant, or nothing that keeps to the limit it has.
bool read_bound(const NodeView& group, const Value* bound, std::int32_t& limit) {
  if (bound == nullptr) return true;
  const Tensor* constant = group.constant(bound);
  if (constant == nullptr || constant->element_count() != 1) return false;
  const DataType type = constant->type();
  if (type != DataType::int8 && type != DataType::uint8) return false;
  limit = static_cast<std::int32_t>(element_as_int64(*constant, 0));
  return true;
}

bool narrow(const NodeView& group, const Node& node, const Value* previous, Int8Limits& limits) {
  if (node.op_type() != "Clip" || !node.domain().empty() || node.input(0) != previous) return false;
  Int8Limits given = limits;
  if (!read_bound(group, node.input(1), given.low) || !read_bound(group, node.input(2), given.high))
    return false;
  // As Clip: first up to the lower bound, then down to the upper one.
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
    if (!narrow(group, *follower, previous, limits)) return std::nullopt;
    previous = follower->output(0);
  }
  return limits;
}

bool absorbs_int8_clip(const NodeView& group, const Node& next) {
  Int8Limits limits;
  return narrow(group, next, group.members().back()->output(0), limits);
}

}  // namespace ortool::cpu

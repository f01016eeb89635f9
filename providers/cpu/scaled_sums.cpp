// Followers are recognised by their known shapes: the result must keep that of the sums.
#include "providers/cpu/scaled_sums.hpp"

namespace ortool::cpu {
namespace {

DataType element_of(const Value& value) {
  return value.type().is_tensor() ? value.type().element : DataType::undefined;
}

/// Whether the shape has one element, or as many as `columns` in the last dimension, and no more
/// dimensions than `rank`.
bool is_for_columns(const PartialShape& shape, std::size_t rank, const Dimension& columns) {
  if (!shape || shape->size() > rank) return false;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const Dimension& dimension = (*shape)[i];
    if (!dimension.is_known()) return false;
    const bool is_last = i + 1 == shape->size();
    if (dimension.number() == 1) continue;
    if (!is_last || !columns.is_known() || dimension != columns) return false;
  }
  return true;
}

}  // namespace

std::optional<ScaledSums> read_scaled_sums(const NodeView& group) {
  ScaledSums result;
  const Value* previous = group.node().output(0);
  for (const Node* node : group.followers()) {
    if (!node->domain().empty() || result.scale >= 0) return std::nullopt;
    if (!result.is_float) {
      const bool casts =
          node->op_type() == "Cast" && element_of(*node->output(0)) == DataType::float32;
      if (!casts) return std::nullopt;
      result.is_float = true;
    } else {
      if (node->op_type() != "Mul" || !node->attributes().empty()) return std::nullopt;
      const Value* other = node->input(node->input(0) == previous ? 1 : 0);
      const PartialShape& sums = previous->type().shape;
      const bool fits = other != nullptr && other != previous && sums && sums->size() >= 2 &&
                        element_of(*other) == DataType::float32 &&
                        is_for_columns(other->type().shape, sums->size(), sums->back());
      if (!fits) return std::nullopt;
      result.scale = group.node().input_count();
    }
    previous = node->output(0);
  }
  return result;
}

bool absorbs_scaled_sums(const NodeView& group, const Node& next) {
  std::vector<const Node*> members(group.members().begin(), group.members().end());
  members.push_back(&next);
  return read_scaled_sums(NodeView(std::move(members))).has_value();
}

}  // namespace ortool::cpu

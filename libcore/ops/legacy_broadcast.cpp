// Translation of the legacy attributes `axis` and `broadcast` to NumPy-style broadcasting.
#include "libcore/ops/legacy_broadcast.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

void LegacyBroadcast::read(AttributeReader& attributes) {
  attributes.ignore("consumed_inputs");
  if (!attributes.knows("broadcast")) return;
  axis = attributes.find_integer("axis");
  kind = attributes.flag("broadcast") ? Kind::along_first : Kind::same_shape;
}

Dimensions LegacyBroadcast::align_second(const Dimensions& first, const Dimensions& second) const {
  if (kind == Kind::numpy) return second;
  if (kind == Kind::same_shape) {
    static_cast<void>(merge_shapes(first, second));
    return second;
  }
  const auto rank = static_cast<std::int64_t>(first.size());
  const auto second_rank = static_cast<std::int64_t>(second.size());
  if (second_rank == 0) return second;
  const std::int64_t begin = axis ? normalize_axis(*axis, rank) : rank - second_rank;
  Dimensions aligned = second;
  if (begin < 0 || begin + second_rank > rank) {
    throw Error(ErrorCode::invalid, format("the shape {} cannot be broadcast to {} from axis {} on",
                                           to_string(second), to_string(first), begin));
  }
  aligned.resize(static_cast<std::size_t>(rank - begin), Dimension(1));
  for (std::size_t i = 0; i < aligned.size(); ++i) {
    const Dimension& mine = first[static_cast<std::size_t>(begin) + i];
    if (!aligned[i].is_known() || aligned[i].number() == 1 || !mine.is_known()) continue;
    if (mine.number() == aligned[i].number()) continue;
    throw Error(ErrorCode::invalid, format("the shape {} cannot be broadcast to {} from axis {} on",
                                           to_string(second), to_string(first), begin));
  }
  return aligned;
}

Shape LegacyBroadcast::align_second(const Shape& first, const Shape& second) const {
  return *to_known(align_second(*to_partial(first), *to_partial(second)));
}

PartialShape LegacyBroadcast::result_shape(const InferContext& context) const {
  const PartialShape first = context.shape(0);
  const PartialShape second = context.shape(1);
  if (kind == Kind::numpy) return broadcast_shapes(first, second);
  if (kind == Kind::same_shape) return merge_shapes(first, second);
  if (!first || !second) return first;
  static_cast<void>(align_second(*first, *second));
  return first;
}

}  // namespace ortool

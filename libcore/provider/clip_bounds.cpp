// Clip bounds from attributes or constants; an absent one is infinite.
#include "libcore/provider/clip_bounds.hpp"

#include <limits>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/clip.hpp"
#include "libcore/provider/constant_values.hpp"

namespace ortool {
namespace {

std::optional<float> known_bound(const ValueOrInput<float>& given, const Tensor* constant,
                                 float otherwise) {
  if (given.is_known()) return given.value;
  if (!given.is_given()) return otherwise;
  const std::optional<std::vector<double>> numbers = known_numbers(constant, 1);
  if (!numbers) return std::nullopt;
  return static_cast<float>(numbers->front());
}

}  // namespace

std::optional<ClipBounds> known_clip_bounds(const NodeView& group, const Node& node) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto clip = read_op<Clip>(node);
  const std::optional<float> low = known_bound(clip.low, group.constant(node.input(1)), -infinity);
  const std::optional<float> high = known_bound(clip.high, group.constant(node.input(2)), infinity);
  if (!low || !high) return std::nullopt;
  return ClipBounds{*low, *high};
}

}  // namespace ortool

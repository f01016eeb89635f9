// Run-time operand checks: what inference cannot verify may fail.
#include "libcore/optimize/rewrite/refusals.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/tensor/layout/reshape.hpp"
#include "libcore/ops/tensor/layout/squeeze.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"

namespace ortool {
namespace {

/// The maximum number of shape-arithmetic nodes searched per operand; longer chains count as data.
constexpr int max_searched_nodes = 64;

bool has_known_dimensions(const Value& value) {
  const Dimensions* dimensions = dimensions_of(value);
  return dimensions != nullptr &&
         std::none_of(dimensions->begin(), dimensions->end(),
                      [](const Dimension& dimension) { return dimension.is_unknown(); });
}

bool follows(const Value& value, int& nodes_left) {
  const Value* origin = &value;
  while (origin->captured() != nullptr) origin = origin->captured();
  if (constant_of(*origin) != nullptr) return true;
  const Node* producer = origin->producer();
  if (producer == nullptr || !producer->domain().empty() || --nodes_left < 0) return false;
  if (producer->op_type() == "Shape" || producer->op_type() == "Size")
    return producer->input(0) != nullptr && has_known_dimensions(*producer->input(0));
  if (producer->op_type() == "Constant" || producer->op_type() == "ConstantOfShape") return true;
  if (!has_trait(*producer, OpTrait::infers_elements)) return false;
  for (std::int64_t i = 0; i < producer->input_count(); ++i) {
    if (producer->input(i) != nullptr && !follows(*producer->input(i), nodes_left)) return false;
  }
  return true;
}

/// Whether a Reshape from `from` to constant sizes keeps the number of elements.
bool keeps_element_count(const Reshape& reshape, const Dimensions& from) {
  std::vector<bool> is_copied(from.size());
  Dimension rest(1);
  bool has_open = false;
  const std::vector<std::int64_t>& to = *reshape.shape.value;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] < 0) {
      has_open = true;
    } else if (to[i] == 0 && !reshape.zero_is_zero) {
      if (i >= from.size()) return false;
      is_copied[i] = true;
    } else {
      rest = rest * Dimension(to[i]);
    }
  }
  Dimension count(1);
  for (std::size_t i = 0; i < from.size(); ++i) {
    // A copied 0 makes the inferred -1 ambiguous.
    if (is_copied[i] && has_open && !is_at_least(from[i], 1) && from[i].is_known()) return false;
    if (!is_copied[i]) count = count * from[i];
  }
  if (count.is_unknown() || rest.is_unknown() || rest == Dimension(0)) return false;
  return has_open ? floor_divide(count, rest) * rest == count : count == rest;
}

bool squeezes_ones(const Squeeze& squeeze, const Dimensions& from) {
  if (!squeeze.axes.is_given()) return true;
  if (!squeeze.axes.is_known()) return false;
  const auto rank = static_cast<std::int64_t>(from.size());
  const std::vector<std::int64_t>& axes = *squeeze.axes.value;
  return std::all_of(axes.begin(), axes.end(), [&](std::int64_t axis) {
    return from[static_cast<std::size_t>(normalize_axis(axis, rank))] == Dimension(1);
  });
}

}  // namespace

bool follows_from_shapes(const Value& value) {
  int nodes_left = max_searched_nodes;
  return follows(value, nodes_left);
}

bool has_inferred_operands(const Node& node) {
  for (std::int64_t i = 1; i < node.input_count(); ++i) {
    if (node.input(i) != nullptr && !follows_from_shapes(*node.input(i))) return false;
  }
  return true;
}

bool takes_every_input(const Node& move) {
  const Dimensions* from = move.input(0) != nullptr ? dimensions_of(*move.input(0)) : nullptr;
  if (from == nullptr) return false;
  const std::string_view op_type = move.op_type();
  if (op_type == "Flatten" || op_type == "Transpose") return true;
  if (op_type == "Unsqueeze") return read_op<Unsqueeze>(move).axes.is_known();
  if (op_type == "Squeeze") return squeezes_ones(read_op<Squeeze>(move), *from);
  if (op_type != "Reshape") return false;
  const auto reshape = read_op<Reshape>(move);
  return reshape.shape.is_known() && keeps_element_count(reshape, *from);
}

std::optional<std::int64_t> wanted_elements(const Node& node) {
  if (node.op_type() != "Reshape") return std::nullopt;
  const auto reshape = read_op<Reshape>(node);
  if (!reshape.shape.is_known()) return std::nullopt;
  Dimension count(1);
  for (const std::int64_t size : *reshape.shape.value) {
    if (size <= 0) return std::nullopt;
    count = count * Dimension(size);
  }
  return count.is_known() ? std::optional(count.number()) : std::nullopt;
}

}  // namespace ortool

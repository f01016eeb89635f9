// Follows the consumers of an input, tracking which of its axes has become the second one.
#include "libcore/inspect/input_layout.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

constexpr std::size_t rank = 4;
constexpr std::size_t max_values = 64;

/// The input axis that corresponds to each axis of a value.
using Axes = std::array<std::size_t, rank>;

template <typename Integer>
const Integer* attribute_of(const Node& node, std::string_view name) {
  const Attribute* attribute = node.find_attribute(name);
  return attribute != nullptr ? std::get_if<Integer>(&attribute->value) : nullptr;
}

bool has_rank_4(const Value* value) {
  return value != nullptr && value->type().is_tensor() && value->type().shape &&
         value->type().shape->size() == rank;
}

/// The axes of a node's output, or nothing if they cannot be tracked.
std::optional<Axes> axes_behind(const Node& node, const Axes& axes) {
  const OpTraits& traits = traits_of(node);
  if (traits.has(OpTrait::elementwise) || traits.has(OpTrait::keeps_axes)) return axes;
  if (node.op_type() != "Transpose" || !node.domain().empty()) return std::nullopt;
  const auto* order = attribute_of<std::vector<std::int64_t>>(node, "perm");
  Axes moved{};
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t from = order == nullptr    ? static_cast<std::int64_t>(rank - 1 - i)
                              : i < order->size() ? (*order)[i]
                                                  : -1;
    if (from < 0 || from >= static_cast<std::int64_t>(rank)) return std::nullopt;
    moved[i] = axes[static_cast<std::size_t>(from)];
  }
  return moved;
}

/// Whether the filters match the number of channels, as far as both are known.
bool channels_fit(const Node& node, const Value& value) {
  const std::int64_t filters = traits_of(node).filters;
  if (filters < 0) return true;
  const Value* window = node.input(filters);
  if (!has_rank_4(window)) return false;
  const std::int64_t channels = (*value.type().shape)[1].number();
  const std::int64_t taken = (*window->type().shape)[1].number();
  const auto* group = attribute_of<std::int64_t>(node, "group");
  return channels < 0 || taken < 0 || channels == taken * (group != nullptr ? *group : 1);
}

}  // namespace

InputLayout find_layout(const Value& input) {
  if (!has_rank_4(&input)) return {};
  std::vector<std::pair<const Value*, Axes>> open = {{&input, {0, 1, 2, 3}}};
  std::set<const Value*> seen = {&input};
  for (std::size_t at = 0; at < open.size(); ++at) {
    const auto [value, axes] = open[at];
    for (const Use& use : value->uses()) {
      const Node* node = use.node;
      if (node == nullptr || node->output(0) == nullptr) continue;
      if (has_trait(*node, OpTrait::channels_second)) {
        const bool is_image = axes[0] == 0 && (axes[1] == 1 || axes[1] == 3);
        if (node->input(0) != value || !is_image || !channels_fit(*node, *value)) continue;
        const bool is_moved = axes[1] == 3;
        return {is_moved ? "nhwc" : "nchw",
                format("{} ({}) reads {} as channels", quote(node->name(), 60), node->op_type(),
                       is_moved ? "the last dimension, transposed to the second,"
                                : "the second dimension")};
      }
      const auto behind = axes_behind(*node, axes);
      if (!behind || !has_rank_4(node->output(0)) || open.size() >= max_values) continue;
      if (seen.insert(node->output(0)).second) open.emplace_back(node->output(0), *behind);
    }
  }
  return {};
}

}  // namespace ortool

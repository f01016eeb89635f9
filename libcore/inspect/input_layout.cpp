// A walk along the readers that knows which axis of the input has become the second one.
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

namespace ortool {
namespace {

constexpr std::size_t rank = 4;
constexpr std::size_t most_values = 64;

/// Which axis of the input each axis of a value is.
using Axes = std::array<std::size_t, rank>;

/// Operators with the channels second whatever the attributes say, and where weights stand if any.
struct Window {
  std::string_view op_type;
  std::int64_t weights = -1;
};
constexpr std::array<Window, 13> windows = {{{"Conv", 1},
                                             {"ConvInteger", 1},
                                             {"QLinearConv", 3},
                                             {"DeformConv", 1},
                                             {"ConvTranspose"},
                                             {"MaxPool"},
                                             {"AveragePool"},
                                             {"LpPool"},
                                             {"GlobalMaxPool"},
                                             {"GlobalAveragePool"},
                                             {"GlobalLpPool"},
                                             {"LRN"},
                                             {"SpaceToDepth"}}};

/// Operators whose first output has the axes of the inputs.
constexpr std::array<std::string_view, 33> axis_keepers = {
    "Abs",
    "Add",
    "Affine",
    "BatchNormalization",
    "Cast",
    "CastLike",
    "Clip",
    "Crop",
    "DequantizeLinear",
    "Div",
    "Dropout",
    "Exp",
    "Identity",
    "ImageScaler",
    "InstanceNormalization",
    "LeakyRelu",
    "Log",
    "MeanVarianceNormalization",
    "Mul",
    "Neg",
    "Pad",
    "Pow",
    "PRelu",
    "QuantizeLinear",
    "Relu",
    "Resize",
    "Round",
    "Sigmoid",
    "Slice",
    "Sqrt",
    "Sub",
    "Tanh",
    "Upsample",
};

template <typename Integer>
const Integer* attribute_of(const Node& node, std::string_view name) {
  const Attribute* attribute = node.find_attribute(name);
  return attribute != nullptr ? std::get_if<Integer>(&attribute->value) : nullptr;
}

bool has_rank_4(const Value* value) {
  return value != nullptr && value->type().is_tensor() && value->type().shape &&
         value->type().shape->size() == rank;
}

/// The axes behind a node, or nothing where they cannot be followed.
std::optional<Axes> axes_behind(const Node& node, const Axes& axes) {
  const auto is_keeper = [&](std::string_view op_type) { return op_type == node.op_type(); };
  if (std::any_of(axis_keepers.begin(), axis_keepers.end(), is_keeper)) return axes;
  if (node.op_type() != "Transpose") return std::nullopt;
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

/// Whether the weights take as many channels as the value has, as far as both are known.
bool channels_fit(const Node& node, std::int64_t weights, const Value& value) {
  if (weights < 0) return true;
  const Value* window = node.input(weights);
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
      if (node == nullptr || !node->domain().empty() || node->output(0) == nullptr) continue;
      const auto window = std::find_if(windows.begin(), windows.end(), [&](const Window& row) {
        return row.op_type == node->op_type();
      });
      if (window != windows.end()) {
        const bool is_image = axes[0] == 0 && (axes[1] == 1 || axes[1] == 3);
        if (node->input(0) != value || !is_image || !channels_fit(*node, window->weights, *value)) {
          continue;
        }
        const bool is_moved = axes[1] == 3;
        return {is_moved ? "nhwc" : "nchw",
                format("{} ({}) takes {} as channels", quote(node->name(), 60), node->op_type(),
                       is_moved ? "the last dimension, moved to the second place,"
                                : "the second dimension")};
      }
      const auto behind = axes_behind(*node, axes);
      if (!behind || !has_rank_4(node->output(0)) || open.size() >= most_values) continue;
      if (seen.insert(node->output(0)).second) open.emplace_back(node->output(0), *behind);
    }
  }
  return {};
}

}  // namespace ortool

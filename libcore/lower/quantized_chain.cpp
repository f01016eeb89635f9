// Quantized chains, read from the end back; each node must have a single consumer.
#include "libcore/lower/quantized_chain.hpp"

#include <algorithm>

#include "libcore/graph/attribute_access.hpp"
#include "libcore/lower/node_predicates.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/normalization/batch_normalization.hpp"
#include "libcore/ops/tensor/pad.hpp"
#include "libcore/ops/tensor/resize.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_tables = 4096;

/// The only input that is not constant; -1 when there are several or none.
std::int64_t computed_input(const Node& node) {
  std::int64_t found = -1;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* input = node.input(i);
    if (input == nullptr || input->is_constant()) continue;
    if (found >= 0) return -1;
    found = i;
  }
  return found;
}

/// Reads the nodes one by one, and checks what they have in common.
class ChainReader {
 public:
  explicit ChainReader(std::int64_t opset) : opset_(opset) {}

  std::optional<QuantizedChain> read(const Value* value) {
    std::optional<Quantization> from;
    while (!(from = dequantized_bytes(value))) {
      const Node* node = only_producer(value);
      if (node == nullptr || !has_plain_attributes(*node)) return std::nullopt;
      if (node->output_count() > 1 && node->output(1) != nullptr) return std::nullopt;
      const std::optional<QuantizedStep> step = read_step(*node);
      if (!step) return std::nullopt;
      chain_.steps.push_back(*step);
      value = node->input(step->input);
    }
    std::reverse(chain_.steps.begin(), chain_.steps.end());
    chain_.from = *from;
    if (!place_table()) return std::nullopt;
    return chain_;
  }

 private:
  std::optional<QuantizedStep> read_step(const Node& node) {
    using Kind = QuantizedStep::Kind;
    const std::int64_t input = computed_input(node);
    const OpTraits& traits = traits_of(node);
    if (traits.has(OpTrait::elementwise)) {
      if (input < 0 || !traits.holds_elements(input)) return std::nullopt;
      if (traits.has(OpTrait::unidirectional) && input != 0) return std::nullopt;
      const std::optional<std::int64_t> channels = channels_of(node, input);
      if (!channels) return std::nullopt;
      return QuantizedStep{&node, *channels > 0 ? Kind::of_a_channel : Kind::function, input};
    }
    if (traits.has(OpTrait::data_movement)) return QuantizedStep{&node, Kind::move, 0};
    if (!node.domain().empty()) return std::nullopt;
    if (node.op_type() == "BatchNormalization") return read_normalization(node, input);
    if (is_nearest(node)) return QuantizedStep{&node, Kind::move, 0};
    if (is_pool(node) || is_zero_pad(node)) return QuantizedStep{&node, Kind::choice, 0};
    return std::nullopt;
  }

  /// The length of per-channel constants; 0 when all are scalars, nothing for any other broadcast.
  std::optional<std::int64_t> channels_of(const Node& node, std::int64_t computed) {
    std::int64_t result = 0;
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      if (i == computed || node.input(i) == nullptr) continue;
      const Shape& shape = node.input(i)->constant().shape();
      if (shape.rank() == 0) continue;
      const PartialShape& met = node.input(computed)->type().shape;
      if (!met || shape.rank() > static_cast<std::int64_t>(met->size())) return std::nullopt;
      if (!keep_rank(static_cast<std::int64_t>(met->size()))) return std::nullopt;
      if (shape.element_count() == 1) continue;
      // Counted from the end, channels are the second dimension of the operand.
      const std::int64_t channel = shape.rank() - (chain_.rank - 1);
      if (!traits_of(node).holds_elements(i) || channel < 0 ||
          shape[channel] != shape.element_count() || !keep_channels(shape[channel], *met))
        return std::nullopt;
      result = shape[channel];
    }
    return result;
  }

  std::optional<QuantizedStep> read_normalization(const Node& node, std::int64_t computed) {
    const auto op = read_op<BatchNormalization>(node);
    if (computed != 0 || !op.is_per_channel || op.is_training || node.input_count() != 5)
      return std::nullopt;
    const PartialShape& met = node.input(0)->type().shape;
    if (!met || !keep_rank(static_cast<std::int64_t>(met->size())) ||
        !keep_channels(node.input(1)->constant().element_count(), *met))
      return std::nullopt;
    return QuantizedStep{&node, QuantizedStep::Kind::of_a_channel, 0};
  }

  bool keep_rank(std::int64_t rank) {
    if (chain_.rank != 0 && chain_.rank != rank) return false;
    chain_.rank = rank;
    return true;
  }

  bool keep_channels(std::int64_t channels, const PartialShape& met) {
    if (chain_.rank < 3 || channels > max_tables || (*met)[1] != Dimension(channels)) return false;
    chain_.channels = channels;
    return true;
  }

  bool is_pool(const Node& node) const {
    return node.op_type() == "MaxPool" && opset_ >= opset_of_type("MaxPool", "X", DataType::uint8);
  }

  /// Whether it pads with zeros, or with existing elements.
  bool is_zero_pad(const Node& node) const {
    if (node.op_type() != "Pad" || opset_ < opset_of_type("Pad", "data", DataType::uint8) ||
        read_op<Pad>(node).mode != Pad::Mode::constant)
      return false;
    const Value* filled = node.input(2);
    return filled == nullptr || (filled->is_constant() && filled->constant().element_count() == 1 &&
                                 element_as_double(filled->constant(), 0) == 0);
  }

  bool is_nearest(const Node& node) const {
    if (node.op_type() != "Resize" ||
        opset_ < opset_of_attribute("Resize", "coordinate_transformation_mode"))
      return false;
    const auto op = read_op<Resize>(node);
    return op.mode == Resampling::Mode::nearest &&
           op.coordinates != Resampling::Coordinates::tf_crop_and_resize;
  }

  /// Whether there is a position for all functions: before all moves, or after them.
  bool place_table() {
    using Kind = QuantizedStep::Kind;
    bool has_moved = false;
    bool has_chosen = false;
    bool is_behind_choice = false;
    bool is_before_choice = false;
    bool has_function = false;
    bool is_first = false;
    for (const QuantizedStep& step : chain_.steps) {
      if (step.kind == Kind::of_a_channel && has_moved) return false;
      if (step.is_function()) {
        is_first = is_first || !has_moved;
        has_function = true;
        is_behind_choice = is_behind_choice || has_chosen;
      } else {
        has_moved = true;
        has_chosen = has_chosen || step.kind == Kind::choice;
        is_before_choice = is_before_choice || (step.kind == Kind::choice && has_function);
      }
    }
    chain_.looks_up_first = is_first;
    if (chain_.channels > 0 && has_moved && !is_first) return false;
    if (!is_first && is_before_choice) chain_.looks_up_first = true;
    return !(is_behind_choice && is_before_choice) && !(chain_.looks_up_first && is_behind_choice);
  }

  std::int64_t opset_;
  QuantizedChain chain_;
};

}  // namespace

bool QuantizedChain::has_functions() const {
  return std::any_of(steps.begin(), steps.end(),
                     [](const QuantizedStep& step) { return step.is_function(); });
}

std::optional<QuantizedChain> read_quantized_chain(const Node& end, std::int64_t opset) {
  return ChainReader(opset).read(end.input(0));
}

}  // namespace ortool

// Decompositions of the gates around linear attention, and of its forms that ONNX does not have.
#include "libcore/ops/contrib/attention/linear_attention.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libcore/graph/value_type.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/contrib/state_window.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

/// `x` in another type; itself if it has it.
Value& in_type(Decomposition& out, Value& x, DataType from, DataType to) {
  if (from == to) return x;
  return out.add("Cast", {&x}, plain_attributes({{"to", static_cast<std::int64_t>(to)}}));
}

/// Zeros keep a dimension in a Reshape.
std::vector<std::int64_t> kept_axes(std::int64_t count, std::vector<std::int64_t> others) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(count), 0);
  sizes.insert(sizes.end(), others.begin(), others.end());
  return sizes;
}

Results linear_attention_gate(Decomposition& out) {
  const DataType element = out.element(0);
  if (element == DataType::undefined) return {};
  Value& wide = in_type(out, *out.input(0), element, DataType::float32);
  Value& soft = out.add("Softplus", {&out.add("Add", {&wide, out.input(1)})});
  Value& decay = out.add("Mul", {&soft, out.input(2)});
  Value& narrow = in_type(out, decay, DataType::float32, element);
  return {&narrow, out.has_output(1) ? &out.add("Sigmoid", {out.input(3)}) : nullptr};
}

Results gated_rms_norm(Decomposition& out) {
  const auto op = read_op<GatedRMSNorm>(out.node());
  const DataType element = out.element(0);
  const std::int64_t rank = out.rank(0);
  if (rank < 1 || element == DataType::undefined) return {};
  Value& x = in_type(out, *out.input(0), element, DataType::float32);
  Value& gate = in_type(out, *out.input(2), element, DataType::float32);
  Value& weights = in_type(out, *out.input(1), element, DataType::float32);
  Value& sizes = out.add(
      "Concat", {&out.integers(kept_axes(rank - 1, {-1})), &out.add("Shape", {out.input(1)})},
      plain_attributes({{"axis", std::int64_t{0}}}));
  Value& groups = out.add("Reshape", {&x, &sizes});
  Value& normal = out.add_own("RMSNormalization", {&groups, &weights},
                              plain_attributes({{"epsilon", op.epsilon}}));
  Value& whole = out.add("Reshape", {&normal, &out.add("Shape", {out.input(0)})});
  Value& active = op.has_sigmoid ? out.add("Sigmoid", {&gate}) : out.add_own("Swish", {&gate});
  Value& product = out.add("Mul", {&whole, &active});
  return {&in_type(out, product, DataType::float32, element)};
}

Results gated_add(Decomposition& out) {
  Value& gated = out.add("Mul", {out.input(1), out.input(2)});
  return {&out.add("Add", {out.input(0), &gated})};
}

/// The state after each of the last tokens: all tokens but those at once, then one by one.
Results linear_attention_window(Decomposition& out) {
  const auto op = read_op<ContribLinearAttention>(out.node());
  const std::int64_t window = op.state_window;
  const DataType element = out.element(0);
  const DataType stored = out.input(3) != nullptr ? out.element(3) : element;
  if (window == 0 || element == DataType::undefined || stored == DataType::undefined) return {};
  std::vector<Value*> operands = out.inputs();
  operands.resize(6, nullptr);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] != nullptr)
      operands[i] = &widened(out, *operands[i], out.element(static_cast<std::int64_t>(i)));
  }
  Value* state = newest_state(out, operands[3], window);
  std::vector<Value*> outputs;
  std::vector<Value*> states;
  for (std::int64_t i = 0; i < window; ++i) {
    const std::int64_t behind = i + 1 - window;
    const auto part = [&](std::size_t input) -> Value* {
      if (operands[input] == nullptr) return nullptr;
      return &slice_axis(out, *operands[input], 1, i == 0 ? 0 : behind - 1,
                         behind == 0 ? end_of_axis : behind);
    };
    const std::vector<Value*> made = out.add_contrib_many(
        "LinearAttention", {part(0), part(1), part(2), state, part(4), part(5)}, {true, true},
        out.attributes_but({"state_window"}));
    outputs.push_back(made[0]);
    states.push_back(state = made[1]);
  }
  Value& y = concatenate(out, std::move(outputs), 1);
  const auto computed = [](DataType type) {
    return type == DataType::float16 || type == DataType::bfloat16 ? DataType::float32 : type;
  };
  Value& present = window_of_states(out, states, *out.input(0), 1, computed(stored));
  return {&in_type(out, y, computed(element), element),
          &in_type(out, present, computed(stored), stored)};
}

}  // namespace

std::span<const DecompositionRow> linear_attention_decompositions() {
  static constexpr DecompositionRow rows[] = {
      {"GatedAdd", gated_add},
      {"GatedRMSNorm", gated_rms_norm},
      {"LinearAttention", linear_attention_window, 2},
      {"LinearAttentionGate", linear_attention_gate, 2},
  };
  return rows;
}

}  // namespace ortool

// Decomposition of causal convolutions with state, where ONNX's operator lacks the form: to a
// convolution of the past and the input, one behind the other.
#include <cstdint>
#include <utility>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/attention/linear_attention.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/contrib/state_window.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

/// A convolution whose channels may come last, and may be several axes.
class SpacedConv {
 public:
  SpacedConv(Decomposition& out, const ContribCausalConvWithState& op, std::int64_t channels,
             std::int64_t state_length)
      : out_(out),
        op_(op),
        rank_(out.rank(0)),
        channels_(channels),
        state_length_(state_length),
        x_(channels_first(*out.input(0))),
        joined_(joined()) {}

  Value& output() const {
    std::vector<Attribute> attributes = plain_attributes({{"group", channels_}});
    attributes.push_back(integers_attribute("dilations", {op_.dilation}));
    Value* y = &out_.add("Conv", {&joined_, out_.input(1), out_.input(2)}, std::move(attributes));
    if (op_.has_silu) y = &out_.add_own("Swish", {y});
    return as_given(*y);
  }

  Value& present() const {
    const std::int64_t window = op_.state_window;
    if (window == 0) return as_given(state_before(joined_, 0));
    Value& longer = behind_zeros(joined_, out_.integers(std::vector<std::int64_t>{window}));
    std::vector<Value*> states;
    for (std::int64_t i = 0; i < window; ++i)
      states.push_back(&as_given(state_before(longer, window - 1 - i)));
    return window_of_states(out_, states, x_, 2, out_.element(0));
  }

 private:
  /// Channels before the sequence, all of them in one axis.
  Value& channels_first(Value& x) const {
    if (!op_.has_channels_last) return x;
    const std::int64_t flat[] = {0, 0, channels_};
    return transpose(out_, rank_ == 3 ? x : reshape(out_, x, flat), {0, 2, 1});
  }

  /// The layout of the input.
  Value& as_given(Value& x) const {
    if (!op_.has_channels_last) return x;
    Value& last = transpose(out_, x, {0, 2, 1});
    if (rank_ == 3) return last;
    Value& tail = slice_axis(out_, out_.add("Shape", {out_.input(0)}), 0, 2, end_of_axis);
    Value& front = slice_axis(out_, out_.add("Shape", {&last}), 0, 0, 2);
    return out_.add("Reshape", {&last, &concatenate(out_, {&front, &tail}, 0)});
  }

  Value& behind_zeros(Value& x, Value& count) const {
    const std::int64_t before[] = {0, 0};
    const std::int64_t behind[] = {0, 0, 0};
    return out_.add(
        "Pad",
        {&x, &concatenate(out_, {&out_.integers(before), &count, &out_.integers(behind)}, 0)});
  }

  Value& joined() const {
    Value* past = newest_state(out_, out_.input(3), op_.state_window);
    if (past != nullptr) return concatenate(out_, {&channels_first(*past), &x_}, 2);
    return behind_zeros(x_, out_.integers(std::vector<std::int64_t>{state_length_}));
  }

  /// The state where `ahead` positions of `joined` are still to come.
  Value& state_before(Value& joined, std::int64_t ahead) const {
    if (state_length_ == 0) return slice_axis(out_, joined, 2, 0, 0);
    return slice_axis(out_, joined, 2, -ahead - state_length_, ahead == 0 ? end_of_axis : -ahead);
  }

  Decomposition& out_;
  const ContribCausalConvWithState& op_;
  std::int64_t rank_;
  std::int64_t channels_;
  std::int64_t state_length_;
  Value& x_;
  Value& joined_;
};

Results any_causal_conv(Decomposition& out) {
  const auto op = read_op<ContribCausalConvWithState>(out.node());
  const PartialShape weight = out.shape(1);
  if (out.rank(0) < 3 || out.element(0) == DataType::undefined || !weight ||
      !(*weight)[0].is_known() || !(*weight)[2].is_known())
    return {};
  if (out.opset() < opset_of_input("Pad", "pads")) return {};
  const std::int64_t state_length = ((*weight)[2].number() - 1) * op.dilation;
  const SpacedConv conv(out, op, (*weight)[0].number(), state_length);
  return {&conv.output(), &conv.present()};
}

/// ONNX's operator has the others.
Results spaced_causal_conv(Decomposition& out) {
  const auto op = read_op<ContribCausalConvWithState>(out.node());
  const bool is_plain = !op.has_channels_last && op.dilation == 1 && op.state_window == 0;
  return is_plain ? Results() : any_causal_conv(out);
}

}  // namespace

std::span<const DecompositionRow> causal_conv_decompositions() {
  static constexpr DecompositionRow rows[] = {{"CausalConvWithState", spaced_causal_conv, 2}};
  return rows;
}

std::span<const DecompositionRow> plain_causal_convolutions() {
  static constexpr DecompositionRow rows[] = {{"CausalConvWithState", any_causal_conv, 2}};
  return rows;
}

}  // namespace ortool

// Decompositions of operators on packed sequences: to padded ones, and of the convolution.
#include "libcore/ops/contrib/attention/packed_sequences.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/attention/varlen_causal_conv.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/contrib/packed_tokens.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

bool has_integer_nodes(const Decomposition& out) {
  return out.opset() >= opset_of("CumSum") && out.opset() >= opset_of("ScatterElements");
}

/// All axes but the last as one.
Value& as_rows(Decomposition& out, Value& x) {
  const std::int64_t all[] = {-1};
  Value& width = slice_axis(out, out.add("Shape", {&x}), 0, -1, end_of_axis);
  return out.add("Reshape", {&x, &concatenate(out, {&out.integers(all), &width}, 0)});
}

Value& flattened(Decomposition& out, Value& x) {
  const std::int64_t all[] = {-1};
  return reshape(out, x, all);
}

Results remove_padding(Decomposition& out) {
  if (!has_integer_nodes(out)) return {};
  Value& counts = *out.input(1);
  Value& positions = range_to(out, axis_size(out, *out.input(0), 1));
  Value& is_token =
      out.add("Less", {&positions, &unsqueeze(out, cast_to(out, counts, DataType::int64), 1)});
  Value& flags = flattened(out, is_token);
  const auto places_of = [&](Value& wanted) -> Value& {
    return squeeze(out, out.add("NonZero", {&wanted}), 0);
  };
  Value& tokens = places_of(flags);
  Value& padding = places_of(out.add("Not", {&flags}));
  Value& places = cast_to(out, concatenate(out, {&tokens, &padding}, 0), DataType::int32);
  const std::int64_t zero[] = {0};
  Value& none = cast_to(out, out.integers(zero), DataType::int32);
  Value& sums = out.add("CumSum", {&counts, &integer_scalar(out, 0)});
  return {&gather(out, as_rows(out, *out.input(0)), tokens, 0),
          &out.add("Reshape", {&places, &out.add("Shape", {&is_token})}),
          &concatenate(out, {&none, &sums}, 0), &reduce(out, "ReduceMax", counts, {0}, true)};
}

/// The places of the tokens among `places`, which lists those of padding behind them.
Value& token_places(Decomposition& out, Value& tokens, Value& places) {
  const std::int64_t zero[] = {0};
  Value& flat = flattened(out, cast_to(out, places, DataType::int64));
  Value& count = slice_axis(out, out.add("Shape", {&tokens}), 0, 0, 1);
  return out.add("Slice", {&flat, &out.integers(zero), &count});
}

Results restore_padding(Decomposition& out) {
  if (!has_integer_nodes(out)) return {};
  Value& tokens = *out.input(0);
  Value& width = slice_axis(out, out.add("Shape", {&tokens}), 0, 1, 2);
  Value& padding = out.add("Sub", {&out.add("Size", {out.input(1)}), &axis_size(out, tokens, 0)});
  const std::int64_t before[] = {0, 0};
  const std::int64_t behind[] = {0};
  Value& pads = concatenate(
      out, {&out.integers(before), &unsqueeze(out, padding, 0), &out.integers(behind)}, 0);
  Value& rows = out.add("Pad", {&tokens, &pads});
  Value& places = unsqueeze(out, flattened(out, cast_to(out, *out.input(1), DataType::int64)), 1);
  Value& filled = out.add("ScatterND", {&rows, &places, &rows});
  Value& sizes = concatenate(out, {&out.add("Shape", {out.input(1)}), &width}, 0);
  return {&out.add("Reshape", {&filled, &sizes})};
}

/// The lengths of sequences from the sums before each.
Value& lengths_of(Decomposition& out, Value& sums) {
  return out.add("Sub",
                 {&slice_axis(out, sums, 0, 1, end_of_axis), &slice_axis(out, sums, 0, 0, -1)});
}

Results packed_attention(Decomposition& out) {
  if (!has_integer_nodes(out)) return {};
  Value& tokens = *out.input(0);
  Value& places = *out.input(3);
  Value& padded = out.add_contrib("RestorePadding", {&tokens, &places});
  Value& y = out.add_contrib(
      "Attention",
      {&padded, out.input(1), out.input(2), &lengths_of(out, *out.input(4)), nullptr, out.input(5)},
      out.attributes_but({}));
  return {&gather(out, as_rows(out, y), token_places(out, tokens, places), 0)};
}

Results packed_multi_head_attention(Decomposition& out) {
  const auto op = read_op<PackedMultiHeadAttention>(out.node());
  if (!has_integer_nodes(out)) return {};
  Value& places = *out.input(4);
  const auto padded = [&](Value* tokens) {
    return tokens != nullptr ? &out.add_contrib("RestorePadding", {tokens, &places}) : nullptr;
  };
  Value* query = out.input(0);
  if (out.input(1) == nullptr) {
    const std::int64_t flat[] = {0, -1};
    const std::int64_t heads[] = {0, 0, op.heads, 3, -1};
    query = &reshape(out, *padded(&reshape(out, *query, flat)), heads);
  } else {
    query = padded(query);
  }
  Value& y = out.add_contrib("MultiHeadAttention",
                             {query, padded(out.input(1)), padded(out.input(2)), out.input(3),
                              &lengths_of(out, *out.input(5)), out.input(6)},
                             out.attributes_but({}));
  return {&gather(out, as_rows(out, y), token_places(out, *out.input(0), places), 0)};
}

/// A causal convolution over packed sequences: each tap reads rows of the states and of the tokens,
/// which lie one behind the other.
class VarlenConv {
 public:
  VarlenConv(Decomposition& out, const VarlenCausalConvWithState& op, std::int64_t channels,
             std::int64_t kernel)
      : out_(out),
        op_(op),
        kernel_(kernel),
        state_length_((kernel - 1) * op.dilation),
        tokens_(out, *out.input(2), *out.input(0)),
        state_rows_(out.add(
            "Mul", {&axis_size(out, *out.input(4), 0), &integer_scalar(out, state_length_)})),
        rows_(all_rows(channels)) {}

  Value& output() const {
    const DataType element = out_.element(0);
    Value& rows = widened(out_, rows_, element);
    const std::int64_t flat[] = {-1, kernel_};
    Value& weights =
        transpose(out_, reshape(out_, widened(out_, *out_.input(1), element), flat), {1, 0});
    Value& starts = gather(out_, tokens_.starts(), tokens_.sequences(), 0);
    Value* sum = out_.input(3) != nullptr ? &widened(out_, *out_.input(3), element) : nullptr;
    for (std::int64_t tap = 0; tap < kernel_; ++tap) {
      const std::int64_t behind = (kernel_ - 1 - tap) * op_.dilation;
      Value& position = out_.add("Sub", {&tokens_.positions(), &integer_scalar(out_, behind)});
      Value& row = gather(out_, rows, row_of(position, starts, tokens_.sequences()), 0);
      Value& product =
          out_.add("Mul", {&row, &gather(out_, weights, integer_scalar(out_, tap), 0)});
      sum = sum == nullptr ? &product : &out_.add("Add", {sum, &product});
    }
    if (op_.has_silu) sum = &out_.add_own("Swish", {sum});
    return element == DataType::float32 ? *sum : cast_to(out_, *sum, element);
  }

  Value& final_state() const {
    if (state_length_ == 0) return out_.add("Identity", {out_.input(4)});
    Value& ends = unsqueeze(out_, tokens_.lengths(), 1);
    Value& steps = out_.add("Sub", {&range_to(out_, integer_scalar(out_, state_length_)),
                                    &integer_scalar(out_, state_length_)});
    Value& sequence = range_to(out_, axis_size(out_, *out_.input(4), 0));
    Value& row = row_of(out_.add("Add", {&ends, &steps}), unsqueeze(out_, tokens_.starts(), 1),
                        unsqueeze(out_, sequence, 1));
    return transpose(out_, gather(out_, rows_, row, 0), {0, 2, 1});
  }

  /// The first tokens of each sequence, as many as are to be captured, and zeros.
  Value& state_update() const {
    Value& step = range_to(out_, integer_scalar(out_, op_.capacity));
    Value& count = cast_to(out_, *out_.input(5), DataType::int64);
    constexpr std::int64_t opset_of_integers = 12;
    Value& least = add_since(out_, opset_of_integers, "Min", {&count, &tokens_.lengths()});
    Value& captured = unsqueeze(out_, least, 1);
    Value& is_captured = out_.add("Less", {&step, &captured});
    Value& used = out_.add("Where", {&is_captured, &step, &integer_scalar(out_, 0)});
    Value& place = out_.add("Add", {&unsqueeze(out_, tokens_.starts(), 1), &used});
    Value& found = gather(out_, *out_.input(0), place, 0);
    return out_.add("Where",
                    {&unsqueeze(out_, is_captured, 2), &found, &scalar(out_, out_.element(0), 0)});
  }

 private:
  Value& all_rows(std::int64_t channels) const {
    if (state_length_ == 0) return *out_.input(0);
    const std::int64_t flat[] = {-1, channels};
    Value& states = reshape(out_, transpose(out_, *out_.input(4), {0, 2, 1}), flat);
    return concatenate(out_, {&states, out_.input(0)}, 0);
  }

  /// The row of a position within a sequence; those below 0 lie in its state.
  Value& row_of(Value& position, Value& start, Value& sequence) const {
    Value& is_past = out_.add("Less", {&position, &integer_scalar(out_, 0)});
    Value& next = out_.add("Add", {&sequence, &integer_scalar(out_, 1)});
    Value& end = out_.add("Mul", {&next, &integer_scalar(out_, state_length_)});
    Value& first = out_.add("Add", {&start, &state_rows_});
    Value& from = out_.add("Where", {&is_past, &end, &first});
    return out_.add("Add", {&from, &position});
  }

  Decomposition& out_;
  const VarlenCausalConvWithState& op_;
  std::int64_t kernel_;
  std::int64_t state_length_;
  PackedTokens tokens_;
  Value& state_rows_;  ///< how many
  Value& rows_;
};

Results varlen_causal_conv(Decomposition& out) {
  const auto op = read_op<VarlenCausalConvWithState>(out.node());
  const PartialShape weight = out.shape(1);
  if (!has_integer_nodes(out) || out.element(0) == DataType::undefined || !weight ||
      !(*weight)[0].is_known() || !(*weight)[2].is_known())
    return {};
  const VarlenConv conv(out, op, (*weight)[0].number(), (*weight)[2].number());
  return {&conv.output(), &conv.final_state(), out.has_output(2) ? &conv.state_update() : nullptr};
}

}  // namespace

std::span<const DecompositionRow> packed_sequence_decompositions() {
  static constexpr DecompositionRow rows[] = {
      {"PackedAttention", packed_attention, 1, contrib_domain, true},
      {"PackedMultiHeadAttention", packed_multi_head_attention},
      {"RemovePadding", remove_padding, 4},
      {"RestorePadding", restore_padding},
      {"VarlenCausalConvWithState", varlen_causal_conv, 3},
  };
  return rows;
}

}  // namespace ortool

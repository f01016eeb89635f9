// Decomposition of GatedDeltaNet: LinearAttention of sequences that are padded to one length.
#include "libcore/ops/contrib/attention/gated_delta_net.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/contrib/packed_tokens.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

constexpr const char* rule_names[] = {"linear", "gated", "delta", "gated_delta"};

/// Heads and sizes, all known.
struct NetSizes {
  std::int64_t key_heads;
  std::int64_t key_size;
  std::int64_t value_heads;
  std::int64_t value_size;
};

/// Batch x length x width operands of the recurrence.
struct NetOperands {
  Value* query = nullptr;
  Value* key = nullptr;
  Value* value = nullptr;
  Value* decay = nullptr;
  Value* beta = nullptr;

  std::vector<Value**> all() { return {&query, &key, &value, &decay, &beta}; }
};

class NetGraph {
 public:
  NetGraph(Decomposition& out, const GatedDeltaNet& op, const NetSizes& sizes, bool is_ragged,
           std::int64_t token_axes)
      : out_(out), op_(op), sizes_(sizes), is_ragged_(is_ragged), token_axes_(token_axes) {}

  Results build() {
    NetOperands operands = read_operands();
    lay_out(operands);
    Value* state = out_.input(6);
    if (state != nullptr) state = &transpose(out_, *state, {0, 1, 3, 2});
    const std::vector<Value*> made = recurrence(operands, state);
    Results results(3, nullptr);
    results[0] = &as_given(*made[0]);
    if (out_.has_output(1)) results[1] = &transpose(out_, *made[1], {0, 1, 3, 2});
    if (out_.has_output(2)) results[2] = &captured(operands, state);
    return results;
  }

 private:
  /// The last axes replaced by `sizes`, tokens of several axes as one.
  Value& tokens_by(Value& x, std::vector<std::int64_t> sizes) const {
    sizes.insert(sizes.begin(), -1);
    return reshape(out_, x, sizes);
  }

  Value& normalized(Value& x) const {
    if (!op_.normalizes) return x;
    Value& squares = reduce(out_, "ReduceSum", out_.add("Mul", {&x, &x}), {2}, true);
    constexpr double least = 1e-12;
    Value& bounded = out_.add("Add", {&squares, &scalar(out_, DataType::float32, least)});
    return out_.add("Div", {&x, &out_.add("Sqrt", {&bounded})});
  }

  /// Queries, keys and values as tokens x width, decay and beta as tokens x width after their
  /// functions.
  NetOperands read_operands() const {
    const DataType element = out_.element(0);
    const std::int64_t keys = sizes_.key_heads * sizes_.key_size;
    const std::int64_t values = sizes_.value_heads * sizes_.value_size;
    NetOperands made;
    Value& given = widened(out_, *out_.input(0), element);
    if (out_.input(1) == nullptr) {
      Value& rows = tokens_by(given, {2 * keys + values});
      made.query = &slice_axis(out_, rows, 1, 0, keys);
      made.key = &slice_axis(out_, rows, 1, keys, 2 * keys);
      made.value = &slice_axis(out_, rows, 1, 2 * keys, 2 * keys + values);
    } else {
      made.query = &given;
      made.key = &widened(out_, *out_.input(1), element);
      made.value = &tokens_by(widened(out_, *out_.input(2), element), {values});
    }
    for (Value** each : {&made.query, &made.key}) {
      Value& heads = tokens_by(**each, {sizes_.key_heads, sizes_.key_size});
      *each = &tokens_by(normalized(heads), {keys});
    }
    if (op_.has_decay()) made.decay = &decay();
    if (op_.has_delta()) made.beta = &beta();
    return made;
  }

  Value& decay() const {
    const bool has_rows = out_.rank(4) > token_axes_ + 1;
    const std::int64_t each = has_rows ? sizes_.key_size : 1;
    Value* x = &tokens_by(*out_.input(4), {sizes_.value_heads, each});
    if (op_.has_decay_function) {
      const std::int64_t column[] = {-1, 1};
      if (out_.input(8) != nullptr)
        x = &out_.add("Add", {x, &reshape(out_, *out_.input(8), column)});
      x = &out_.add("Neg", {&out_.add("Softplus", {x})});
      if (out_.input(7) != nullptr)
        x = &out_.add("Mul", {x, &out_.add("Exp", {&reshape(out_, *out_.input(7), column)})});
    }
    return tokens_by(*x, {sizes_.value_heads * each});
  }

  Value& beta() const {
    if (out_.input(5) == nullptr) {
      Value& count = out_.add("Shape", {&tokens_by(*out_.input(0), {row_width()})});
      const std::int64_t one[] = {1};
      Value& shape = concatenate(out_, {&slice_axis(out_, count, 0, 0, 1), &out_.integers(one)}, 0);
      return out_.add("Expand", {&scalar(out_, DataType::float32, 1), &shape});
    }
    Value& x = tokens_by(*out_.input(5), {sizes_.value_heads});
    return op_.has_beta_sigmoid ? out_.add("Sigmoid", {&x}) : x;
  }

  /// Elements of a token in the first input.
  std::int64_t row_width() const {
    const std::int64_t keys = sizes_.key_heads * sizes_.key_size;
    return out_.input(1) != nullptr ? keys : 2 * keys + sizes_.value_heads * sizes_.value_size;
  }

  /// The batch as a vector of one element.
  Value& batch() const {
    if (token_axes_ == 2) return slice_axis(out_, out_.add("Shape", {out_.input(0)}), 0, 0, 1);
    return slice_axis(out_, out_.add("Shape", {out_.input(6)}), 0, 0, 1);
  }

  /// Tokens as batch x length: sequences of one length as they are, others padded with zeros, which
  /// change no state.
  void lay_out(NetOperands& operands) {
    if (!is_ragged_) {
      Value& count = batch();
      for (Value** each : operands.all()) {
        if (*each == nullptr) continue;
        const std::int64_t rest[] = {-1};
        Value& width = slice_axis(out_, out_.add("Shape", {*each}), 0, 1, 2);
        *each = &out_.add("Reshape",
                          {*each, &concatenate(out_, {&count, &out_.integers(rest), &width}, 0)});
      }
      return;
    }
    tokens_.emplace(out_, *out_.input(3), *operands.query);
    Value& lengths = unsqueeze(out_, tokens_->lengths(), 1);
    longest_ = &reduce(out_, "ReduceMax", tokens_->lengths(), {}, false);
    Value& steps = range_to(out_, *longest_);
    Value& is_token = out_.add("Less", {&steps, &lengths});
    Value& inside = out_.add("Where", {&is_token, &steps, &integer_scalar(out_, 0)});
    Value& places = out_.add("Add", {&unsqueeze(out_, tokens_->starts(), 1), &inside});
    Value& mask = unsqueeze(out_, is_token, 2);
    for (Value** each : operands.all()) {
      if (*each == nullptr) continue;
      *each = &out_.add(
          "Where", {&mask, &gather(out_, **each, places, 0), &scalar(out_, DataType::float32, 0)});
    }
  }

  /// Batch x length x width in the layout and the type of the queries.
  Value& as_given(Value& y) const {
    const DataType element = out_.element(0);
    Value* rows = &tokens_by(y, {sizes_.value_heads, sizes_.value_size});
    if (is_ragged_) {
      Value& first = out_.add("Mul", {&tokens_->sequences(), longest_});
      rows = &gather(out_, *rows, out_.add("Add", {&first, &tokens_->positions()}), 0);
    } else if (token_axes_ == 2) {
      const std::int64_t tail[] = {sizes_.value_heads, sizes_.value_size};
      Value& front = slice_axis(out_, out_.add("Shape", {out_.input(0)}), 0, 0, 2);
      rows = &out_.add("Reshape", {rows, &concatenate(out_, {&front, &out_.integers(tail)}, 0)});
    }
    return element == DataType::float32 ? *rows : cast_to(out_, *rows, element);
  }

  std::vector<Value*> recurrence(const NetOperands& operands, Value* state) const {
    return out_.add_contrib_many(
        "LinearAttention",
        {operands.query, operands.key, operands.value, state, operands.decay, operands.beta},
        {true, true},
        plain_attributes({{"q_num_heads", sizes_.key_heads},
                          {"kv_num_heads", sizes_.value_heads},
                          {"scale", op_.scale},
                          {"update_rule", std::string(rule_names[static_cast<int>(op_.rule)])}}));
  }

  /// Axis 1 of a value that is batch x length x width, from `step` to the next; zeros behind it.
  Value* step_of(Value* x, std::int64_t step) const {
    if (x == nullptr) return nullptr;
    const std::int64_t pads[] = {0, 0, 0, 0, op_.capacity, 0};
    return &slice_axis(out_, out_.add("Pad", {x, &out_.integers(pads)}), 1, step, step + 1);
  }

  /// What a token adds to the state besides its key: batch x 1 x width of the values.
  Value& change_of(const NetOperands& token, Value& decay, Value* state) const {
    if (!op_.has_delta()) return *token.value;
    const std::int64_t heads[] = {0, sizes_.value_heads, 1, -1};
    Value* expected = nullptr;
    if (state != nullptr) {
      const std::int64_t split[] = {0, sizes_.key_heads, 1, sizes_.key_size};
      const std::int64_t repeats[] = {1, 1, sizes_.value_heads / sizes_.key_heads, 1};
      Value& groups =
          out_.add("Tile", {&reshape(out_, *token.key, split), &out_.integers(repeats)});
      Value& found = out_.add("MatMul", {&reshape(out_, groups, heads), state});
      expected = &out_.add("Mul", {&found, &reshape(out_, decay, heads)});
    }
    Value& value = reshape(out_, *token.value, heads);
    Value& error = expected != nullptr ? out_.add("Sub", {&value, expected}) : value;
    const std::int64_t rates[] = {0, -1, 1, 1};
    const std::int64_t flat[] = {0, 1, -1};
    return reshape(out_, out_.add("Mul", {&error, &reshape(out_, *token.beta, rates)}), flat);
  }

  /// Decays, keys and changes of the first tokens, those of all tokens together; zeros where there
  /// is no token to capture.
  Value& captured(const NetOperands& operands, Value* state) const {
    std::vector<Value*> decays;
    std::vector<Value*> keys;
    std::vector<Value*> changes;
    for (std::int64_t step = 0; step < op_.capacity; ++step) {
      const NetOperands token = {step_of(operands.query, step), step_of(operands.key, step),
                                 step_of(operands.value, step), step_of(operands.decay, step),
                                 step_of(operands.beta, step)};
      decays.push_back(&decay_factor(token));
      keys.push_back(token.key);
      changes.push_back(&change_of(token, *decays.back(), state));
      state = recurrence(token, state)[1];
    }
    if (op_.capacity == 0) {
      const std::int64_t none[] = {0};
      Value& shape = concatenate(out_, {&sequence_count(operands), &out_.integers(none)}, 0);
      return out_.add("Expand", {&scalar(out_, DataType::float32, 0), &shape});
    }
    Value& is_captured = unsqueeze(out_, captured_steps(operands), 2);
    std::vector<Value*> parts;
    const std::int64_t flat[] = {0, -1};
    for (std::vector<Value*>* each : {&decays, &keys, &changes}) {
      Value& whole = concatenate(out_, std::move(*each), 1);
      Value& kept = out_.add("Where", {&is_captured, &whole, &scalar(out_, DataType::float32, 0)});
      parts.push_back(&reshape(out_, kept, flat));
    }
    return concatenate(out_, std::move(parts), 1);
  }

  Value& sequence_count(const NetOperands& operands) const {
    return slice_axis(out_, out_.add("Shape", {operands.query}), 0, 0, 1);
  }

  Value& decay_factor(const NetOperands& token) const {
    if (token.decay != nullptr) return out_.add("Exp", {token.decay});
    const std::int64_t tail[] = {1, sizes_.value_heads};
    Value& shape = concatenate(out_, {&sequence_count(token), &out_.integers(tail)}, 0);
    return out_.add("Expand", {&scalar(out_, DataType::float32, 1), &shape});
  }

  /// Batch x capacity: whether the token is captured.
  Value& captured_steps(const NetOperands& operands) const {
    Value& steps = range_to(out_, integer_scalar(out_, op_.capacity));
    Value& length = is_ragged_ ? tokens_->lengths() : axis_size(out_, *operands.query, 1);
    Value& wanted = cast_to(out_, *out_.input(9), DataType::int64);
    constexpr std::int64_t opset_of_integers = 12;
    Value* count = &add_since(out_, opset_of_integers, "Min", {&wanted, &length});
    if (out_.input(10) != nullptr) {
      Value& is_active = cast_to(out_, *out_.input(10), DataType::boolean);
      count = &out_.add("Where", {&is_active, count, &integer_scalar(out_, 0)});
    }
    return out_.add("Less", {&steps, &unsqueeze(out_, *count, 1)});
  }

  Decomposition& out_;
  const GatedDeltaNet& op_;
  NetSizes sizes_;
  bool is_ragged_;
  std::int64_t token_axes_;
  std::optional<PackedTokens> tokens_;  ///< of sequences of different lengths
  Value* longest_ = nullptr;            ///< of those
};

Results gated_delta_net(Decomposition& out) {
  const auto op = read_op<GatedDeltaNet>(out.node());
  if (out.opset() < opset_of("CumSum") || out.element(0) == DataType::undefined) return {};
  if (out.input(1) != nullptr && !out.shape(2)) return {};
  const auto found = GatedDeltaNet::sizes_of(out.shape(0), out.shape(2), out.shape(6));
  if (!found || !found->key_heads.is_known() || !found->key_size.is_known() ||
      !found->value_heads.is_known() || !found->value_size.is_known() ||
      (out.input(4) != nullptr && out.rank(4) < 0))
    return {};
  const NetSizes sizes = {found->key_heads.number(), found->key_size.number(),
                          found->value_heads.number(), found->value_size.number()};
  return NetGraph(out, op, sizes, out.input(3) != nullptr, found->token_axes).build();
}

}  // namespace

std::span<const DecompositionRow> gated_delta_net_decompositions() {
  static constexpr DecompositionRow rows[] = {{"GatedDeltaNet", gated_delta_net, 3}};
  return rows;
}

}  // namespace ortool

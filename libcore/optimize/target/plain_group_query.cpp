// GroupQueryAttention in products, masks and softmax, with its cache as gathered rows.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/attention/group_query_attention.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/target/cache_codes.hpp"
#include "libcore/optimize/target/rotary_nodes.hpp"
#include "libcore/optimize/target/step_positions.hpp"
#include "libcore/optimize/target/target_tables.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;
using Integers = std::vector<std::int64_t>;
using Gqa = GroupQueryAttention;

/// What scores of hidden keys are; -inf would make a row without keys NaN.
constexpr double lowest_score = std::numeric_limits<float>::lowest();

std::int64_t size_of_head(const Decomposition& out, std::int64_t input, std::int64_t heads) {
  const PartialShape shape = out.shape(input);
  if (!shape || shape->size() != 3 || !shape->back().is_known()) return -1;
  return shape->back().number() / heads;
}

class GroupQueryNodes {
 public:
  GroupQueryNodes(Decomposition& out, const Gqa& op)
      : out_(out),
        op_(op),
        math_(out),
        type_(out.element(Gqa::query)),
        is_packed_(out.input(Gqa::key) == nullptr) {
    const std::int64_t heads = op.query_heads + (is_packed_ ? 2 * op.shared_heads : 0);
    size_ = size_of_head(out, Gqa::query, heads);
    value_size_ = is_packed_ ? size_ : size_of_head(out, Gqa::value, op.shared_heads);
    if (!op.rotates) return;
    const PartialShape table = out.shape(Gqa::cos_cache);
    pairs_ = table && table->size() == 2 && table->back().is_known() ? table->back().number() : -1;
  }

  bool is_possible() const {
    constexpr std::int64_t opset_of_round = 11;
    const bool has_window_bias = op_.drops_rows && out_.input(Gqa::attention_bias) != nullptr;
    return out_.opset() >= opset_of_round && type_ != DataType::undefined && size_ > 0 &&
           value_size_ > 0 && (!op_.rotates || pairs_ > 0) && !has_window_bias;
  }

  Results results() {
    step_ = positions_of_step(out_);
    Value* past = out_.input(Gqa::past_key);
    rows_ = op_.drops_rows ? rows_of_window(out_, step_, *past, op_.window)
                           : rows_of_cache(out_, step_, past);
    make_heads();
    const CacheCodes key_codes(out_, op_.key_scales, op_.bits, op_.shared_heads, Gqa::k_scale);
    const CacheCodes value_codes(out_, op_.value_scales, op_.bits, op_.shared_heads, Gqa::v_scale);
    const Cached keys = extended(*key_, Gqa::past_key, key_codes, size_);
    const Cached values = extended(*value_, Gqa::past_value, value_codes, value_size_);
    Value& weights = softmax(scores(*keys.seen));
    Value& product = out_.add("MatMul", {&in_groups(weights), values.seen});
    const Integers by_head = {0, op_.query_heads, -1, 0};
    Value& heads = op_.query_heads == op_.shared_heads ? product : reshape(out_, product, by_head);
    const Integers flat = {0, 0, op_.query_heads * value_size_};
    Value& y = narrowed(reshape(out_, transpose(out_, heads, {0, 2, 1, 3}), flat));
    Value* kept = kept_scores_;
    if (op_.scores == Gqa::Scores::after_softmax) kept = &weights;
    const bool has_scores = out_.has_output(3) && kept != nullptr;
    return {&y, keys.present, values.present, has_scores ? &narrowed(*kept) : nullptr};
  }

 private:
  /// A cache after the step, and the rows that queries may see, in float32.
  struct Cached {
    Value* present = nullptr;
    Value* seen = nullptr;
  };

  Value& narrowed(Value& x) const {
    return type_ == DataType::float32 ? x : cast_to(out_, x, type_);
  }
  Value& wide_input(std::int64_t input) const { return widened(out_, *out_.input(input), type_); }

  /// batch x heads x length x size
  Value& split_heads(Value& x, std::int64_t heads, std::int64_t size) const {
    const Integers split = {0, 0, heads, size};
    return transpose(out_, reshape(out_, x, split), {0, 2, 1, 3});
  }

  void make_heads() {
    const std::int64_t shared = op_.shared_heads;
    if (is_packed_) {
      Value& all = split_heads(wide_input(Gqa::query), op_.query_heads + 2 * shared, size_);
      query_ = &slice_axis(out_, all, 1, 0, op_.query_heads);
      key_ = &slice_axis(out_, all, 1, op_.query_heads, op_.query_heads + shared);
      value_ = &slice_axis(out_, all, 1, op_.query_heads + shared, op_.query_heads + 2 * shared);
    } else {
      query_ = &split_heads(wide_input(Gqa::query), op_.query_heads, size_);
      key_ = &split_heads(wide_input(Gqa::key), shared, size_);
      value_ = &split_heads(wide_input(Gqa::value), shared, value_size_);
    }
    if (out_.input(Gqa::q_norm_weight) != nullptr) {
      query_ = &normalized(*query_, Gqa::q_norm_weight);
      key_ = &normalized(*key_, Gqa::k_norm_weight);
    }
    if (!op_.rotates) return;
    Value& positions = rotary_positions(out_, step_);
    const auto angles = [&](std::int64_t table) {
      return &unsqueeze(out_, widened(out_, gather(out_, *out_.input(table), positions, 0), type_),
                        1);
    };
    const RotaryAngles at = {angles(Gqa::cos_cache), angles(Gqa::sin_cache), pairs_,
                             op_.is_interleaved};
    query_ = &rotated_heads(out_, *query_, at, size_);
    key_ = &rotated_heads(out_, *key_, at, size_);
  }

  Value& normalized(Value& x, std::int64_t weight) const {
    Value& mean = reduce(out_, "ReduceMean", out_.add("Mul", {&x, &x}), {3}, true);
    Value& epsilon = scalar(out_, DataType::float32, static_cast<double>(op_.epsilon));
    Value& root = out_.add("Sqrt", {&out_.add("Add", {&mean, &epsilon})});
    return out_.add("Mul", {&out_.add("Div", {&x, &root}), &wide_input(weight)});
  }

  /// Past rows, new rows, and a row of zeros; then those that the cache has.
  Cached extended(Value& fresh, std::int64_t past, const CacheCodes& codes, std::int64_t size) {
    const std::int64_t width = codes.width(size);
    Value& encoded = codes.encoded(fresh);
    const Integers row = {op_.shared_heads, 1, width};
    Value& shape = concatenate(out_, {&sizes(out_, encoded, 0, 1), &out_.integers(row)}, 0);
    Attribute zero{.name = "value"};
    zero.value = make_scalar(codes.type(), std::int64_t{0}).reshaped(Shape({1}));
    std::vector<Attribute> attributes;
    attributes.push_back(std::move(zero));
    Value& zeros = out_.add("ConstantOfShape", {&shape}, std::move(attributes));
    std::vector<Value*> parts = {&encoded, &zeros};
    if (out_.input(past) != nullptr) parts.insert(parts.begin(), out_.input(past));
    Value& joined = concatenate(out_, std::move(parts), 2);
    Cached cached;
    const Integers flat = {-1, width};
    cached.present = &gather(out_, reshape(out_, joined, flat), kept_rows(joined), 0);
    Value& seen = op_.drops_rows ? joined : seen_rows(*cached.present, past);
    cached.seen = &codes.decoded(seen);
    return cached;
  }

  /// batch x heads x rows: places among the rows of all batches and heads.
  Value& kept_rows(Value& joined) {
    if (kept_ != nullptr) return *kept_;
    Value& rows = axis_size(out_, joined, 2);
    Value& heads = out_.add("Mul", {&axis_size(out_, joined, 0), &math_.number(op_.shared_heads)});
    Value& starts = out_.add("Mul", {&range_to(out_, heads), &rows});
    const Integers by_head = {-1, op_.shared_heads, 1};
    kept_ = &math_.sum(reshape(out_, starts, by_head), unsqueeze(out_, *rows_.kept, 1));
    return *kept_;
  }

  /// The rows of the longest batch.
  Value& seen_rows(Value& present, std::int64_t past) const {
    if (out_.input(past) == nullptr) return present;
    const Integers zero = {0};
    const Integers axis = {2};
    return add_since(
        out_, 10, "Slice",
        {&present, &out_.integers(zero), &unsqueeze(out_, *step_.total, 0), &out_.integers(axis)});
  }

  /// Query heads that share keys side by side, as one head of more rows.
  Value& in_groups(Value& x) const {
    if (op_.query_heads == op_.shared_heads) return x;
    const Integers shape = {0, op_.shared_heads, -1, 0};
    return reshape(out_, x, shape);
  }

  /// Which keys each token sees: batch x 1 x length x keys.
  Value& visible() const {
    Value& keys = rows_.positions != nullptr ? unsqueeze(out_, *rows_.positions, 1)
                                             : range_to(out_, *step_.total);
    Value& own = unsqueeze(out_, *step_.seen_from, 2);
    Value& end =
        op_.is_causal ? math_.sum(own, math_.number(1)) : unsqueeze(out_, *step_.lengths, 2);
    Value* seen = &math_.is_less(keys, end);
    if (op_.window >= 0) {
      const std::int64_t before = std::max<std::int64_t>(op_.window, 1);
      Value& begin = math_.difference(own, math_.number(before));
      seen = &out_.add("And", {seen, &math_.is_less(begin, keys)});
    }
    return unsqueeze(out_, *seen, 1);
  }

  /// Scores, with the lowest one for hidden keys.
  Value& scores(Value& keys) {
    const double scale =
        op_.scale ? static_cast<double>(*op_.scale) : 1 / std::sqrt(static_cast<double>(size_));
    Value& scaled = out_.add("Mul", {query_, &scalar(out_, DataType::float32, scale)});
    Value* found = &out_.add("MatMul", {&in_groups(scaled), &transpose(out_, keys, {0, 1, 3, 2})});
    const Integers by_head = {0, op_.query_heads, -1, 0};
    if (op_.query_heads != op_.shared_heads) found = &reshape(out_, *found, by_head);
    if (op_.softcap > 0) {
      Value& cap = scalar(out_, DataType::float32, static_cast<double>(op_.softcap));
      found = &out_.add("Mul", {&out_.add("Tanh", {&out_.add("Div", {found, &cap})}), &cap});
    }
    if (out_.input(Gqa::attention_bias) != nullptr)
      found = &out_.add("Add", {found, &wide_input(Gqa::attention_bias)});
    Value& seen = visible();
    if (op_.scores == Gqa::Scores::before_softmax && out_.has_output(3))
      kept_scores_ = &math_.choose(seen, *found, scalar(out_, DataType::float32, 0));
    Value& lowest = scalar(out_, DataType::float32, lowest_score);
    Value& masked = math_.choose(seen, *found, lowest);
    if (out_.input(Gqa::attention_bias) == nullptr) return masked;
    // A bias of -inf may hide all keys.
    is_seen_ = &math_.is_less(lowest, masked);
    return math_.choose(*is_seen_, masked, lowest);
  }

  Value& softmax(Value& scores) const {
    Value* all = &scores;
    const bool has_sink = out_.input(Gqa::head_sink) != nullptr || op_.is_smooth;
    if (has_sink) {
      const Integers by_head = {1, -1, 1, 1};
      Value& sink = out_.input(Gqa::head_sink) != nullptr
                        ? reshape(out_, wide_input(Gqa::head_sink), by_head)
                        : scalar(out_, DataType::float32, 0);
      const Integers one = {1};
      Value& shape = concatenate(out_, {&sizes(out_, scores, 0, 3), &out_.integers(one)}, 0);
      all = &concatenate(out_, {all, &out_.add("Expand", {&sink, &shape})}, 3);
    }
    Value* weights = &out_.add("Softmax", {all}, plain_attributes({{"axis", std::int64_t{3}}}));
    if (has_sink) weights = &slice_axis(out_, *weights, 3, 0, -1);
    if (is_seen_ != nullptr)
      weights = &math_.choose(*is_seen_, *weights, scalar(out_, DataType::float32, 0));
    return *weights;
  }

  Decomposition& out_;
  const Gqa& op_;
  PositionNodes math_;
  DataType type_;
  bool is_packed_;
  std::int64_t size_ = -1;
  std::int64_t value_size_ = -1;
  std::int64_t pairs_ = -1;
  StepPositions step_;
  CacheRows rows_;
  Value* query_ = nullptr;
  Value* key_ = nullptr;
  Value* value_ = nullptr;
  Value* kept_ = nullptr;
  Value* is_seen_ = nullptr;
  Value* kept_scores_ = nullptr;
};

Results group_query_attention(Decomposition& out) {
  const auto op = read_op<Gqa>(out.node());
  GroupQueryNodes nodes(out, op);
  if (!nodes.is_possible()) return {};
  return nodes.results();
}

}  // namespace

std::span<const DecompositionRow> plain_group_attention() {
  static constexpr DecompositionRow rows[] = {{"GroupQueryAttention", group_query_attention, 4}};
  return rows;
}

}  // namespace ortool

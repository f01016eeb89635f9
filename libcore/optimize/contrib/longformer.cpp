// Decomposition of LongformerAttention, in floats and in int8: attention of blocks of queries to
// three blocks of keys and to the global tokens, and of the global tokens to all.
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/attention/longformer_attention.hpp"
#include "libcore/ops/contrib/quantized/qordered_attention.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/contrib/ordered_codes.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

/// Queries, keys and values: batch x length x width.
struct Projection {
  Value* query;
  Value* key;
  Value* value;
};

/// What the operator and its form in int8 differ in.
struct LongformerOperands {
  std::int64_t heads;
  std::int64_t window;
  std::int64_t width;
  DataType element;     ///< in which attention is computed
  std::int64_t mask;    ///< an input
  std::int64_t global;  ///< an input
  /// Queries (0), keys (1) or values (2) of tokens, by the weights of global tokens or the others.
  std::function<Value&(Value& tokens, bool is_global, std::int64_t part)> projected;
};

class LongformerGraph {
 public:
  LongformerGraph(Decomposition& out, LongformerOperands op)
      : out_(out),
        op_(std::move(op)),
        width_(op_.width),
        element_(op_.element),
        mask_(element_ == out.element(op_.mask) ? *out.input(op_.mask)
                                                : cast_to(out, *out.input(op_.mask), element_)),
        hidden_(scalar(out, element_, -std::numeric_limits<double>::infinity())),
        length_(axis_size(out, *out.input(0), 1)),
        places_(global_places()),
        flat_places_(as_flat(places_)),
        is_global_(cast_to(out,
                           out.add("GatherElements", {out.input(op_.global), &places_}, axis(1)),
                           DataType::boolean)) {}

  Value& build() const {
    Value& local = local_attention();
    Value& rows = by_row(local);
    Value& global = global_attention();
    Value& kept = out_.add(
        "Where", {&unsqueeze(out_, is_global_, 2), &global, &gather(out_, rows, flat_places_, 0)});
    Value& whole = out_.add("ScatterND", {&rows, &unsqueeze(out_, flat_places_, 2), &kept});
    Value& y = out_.add("Reshape", {&whole, &out_.add("Shape", {out_.input(0)})});
    // Padding has no output.
    Value& is_padding = out_.add("Less", {&mask_, &scalar(out_, element_, 0)});
    return out_.add("Where", {&unsqueeze(out_, is_padding, 2), &scalar(out_, element_, 0), &y});
  }

 private:
  static std::vector<Attribute> axis(std::int64_t value) {
    return plain_attributes({{"axis", value}});
  }

  Value& by_row(Value& x) const {
    const std::int64_t shape[] = {-1, width_};
    return reshape(out_, x, shape);
  }

  /// Batch x the largest number of global tokens, at least one: where they are; other tokens where
  /// a row has fewer.
  Value& global_places() const {
    Value& flags =
        cast_to(out_, cast_to(out_, *out_.input(op_.global), DataType::boolean), DataType::int64);
    Value& counts = reduce(out_, "ReduceSum", flags, {1}, false);
    const std::int64_t one[] = {1};
    constexpr std::int64_t opset_of_integers = 12;
    Value& most = add_since(
        out_, opset_of_integers, "Max",
        {&reshape(out_, reduce(out_, "ReduceMax", counts, {}, false), one), &out_.integers(one)});
    return *out_.add_many("TopK", {&flags, &most}, 2, axis(1))[1];
  }

  /// Places among the rows of all batches.
  Value& as_flat(Value& places) const {
    Value& batches = range_to(out_, axis_size(out_, *out_.input(0), 0));
    Value& first = unsqueeze(out_, out_.add("Mul", {&batches, &length_}), 1);
    return out_.add("Add", {&first, &places});
  }

  Value& attend(const Projection& given, Value& mask) const {
    constexpr std::int64_t attention_opset = 23;
    return add_since(out_, attention_opset, "Attention",
                     {given.query, given.key, given.value, &mask},
                     plain_attributes({{"q_num_heads", op_.heads}, {"kv_num_heads", op_.heads}}));
  }

  /// The global tokens' attention to all.
  Value& global_attention() const {
    Value& x = *out_.input(0);
    Value& tokens = gather(out_, by_row(x), flat_places_, 0);
    Value& mask = unsqueeze(out_, unsqueeze(out_, mask_, 1), 1);
    return attend(
        {&op_.projected(tokens, true, 0), &op_.projected(x, true, 1), &op_.projected(x, true, 2)},
        mask);
  }

  /// Blocks x 3 windows: places of keys behind a window of padding.
  Value& block_places() const {
    Value& blocks = out_.add("Div", {&length_, &integer_scalar(out_, op_.window)});
    Value& starts = out_.add("Mul", {&range_to(out_, blocks), &integer_scalar(out_, op_.window)});
    Value& offsets = range_to(out_, integer_scalar(out_, 3 * op_.window));
    return out_.add("Add", {&unsqueeze(out_, starts, 1), &offsets});
  }

  /// Batch and blocks x 3 windows and global tokens x width.
  Value& keys_of_blocks(Value& x, Value& blocks) const {
    const std::int64_t pads[] = {0, op_.window, 0, 0, op_.window, 0};
    Value& padded = out_.add("Pad", {&x, &out_.integers(pads)});
    Value& near = gather(out_, padded, blocks, 1);
    Value& far = unsqueeze(out_, gather(out_, by_row(x), flat_places_, 0), 1);
    const std::int64_t one[] = {1};
    Value& count = slice_axis(out_, out_.add("Shape", {&blocks}), 0, 0, 1);
    Value& repeats = concatenate(
        out_, {&out_.integers(one), &count, &out_.integers(one), &out_.integers(one)}, 0);
    Value& all = concatenate(out_, {&near, &out_.add("Tile", {&far, &repeats})}, 2);
    const std::int64_t width[] = {width_};
    const std::int64_t any[] = {-1};
    Value& keys = slice_axis(out_, out_.add("Shape", {&all}), 0, 2, 3);
    return out_.add(
        "Reshape",
        {&all, &concatenate(out_, {&out_.integers(any), &keys, &out_.integers(width)}, 0)});
  }

  /// Batch x blocks x window x 3 windows: the mask of keys within the window of a query.
  Value& near_mask(Value& blocks) const {
    const std::int64_t pads[] = {0, op_.window, 0, op_.window};
    Value& padded = out_.add("Pad", {&mask_, &out_.integers(pads), &hidden_});
    Value& of_keys = unsqueeze(out_, gather(out_, padded, blocks, 1), 2);
    Value& queries = unsqueeze(out_, range_to(out_, integer_scalar(out_, op_.window)), 1);
    Value& keys = range_to(out_, integer_scalar(out_, 3 * op_.window));
    Value& ahead = out_.add("Sub", {&keys, &queries});
    Value& is_before = out_.add("Less", {&ahead, &integer_scalar(out_, 0)});
    Value& is_behind = out_.add("Greater", {&ahead, &integer_scalar(out_, 2 * op_.window)});
    return out_.add("Where", {&out_.add("Or", {&is_before, &is_behind}), &hidden_, &of_keys});
  }

  /// Batch x blocks x window x global tokens: the mask of those outside the window of a query.
  Value& far_mask() const {
    Value& masks = out_.add("GatherElements", {&mask_, &places_}, axis(1));
    Value& of_keys = out_.add("Where", {&is_global_, &masks, &hidden_});
    Value& queries = unsqueeze(out_, range_to(out_, length_), 1);
    Value& distance = out_.add("Sub", {&unsqueeze(out_, places_, 1), &queries});
    Value& is_near =
        out_.add("Less", {&out_.add("Abs", {&distance}), &integer_scalar(out_, op_.window + 1)});
    Value& mask = out_.add("Where", {&is_near, &hidden_, &unsqueeze(out_, of_keys, 1)});
    const std::int64_t window[] = {op_.window};
    Value& places = out_.add("Shape", {&places_});
    Value& blocks =
        unsqueeze(out_, out_.add("Div", {&length_, &integer_scalar(out_, op_.window)}), 0);
    Value& shape = concatenate(out_,
                               {&slice_axis(out_, places, 0, 0, 1), &blocks, &out_.integers(window),
                                &slice_axis(out_, places, 0, 1, 2)},
                               0);
    return out_.add("Reshape", {&mask, &shape});
  }

  Value& local_attention() const {
    Value& x = *out_.input(0);
    Value& blocks = block_places();
    const std::int64_t split[] = {-1, op_.window, width_};
    Value& mask = concatenate(out_, {&near_mask(blocks), &far_mask()}, 3);
    const std::int64_t any[] = {-1};
    const std::int64_t head[] = {1};
    Value& tail = slice_axis(out_, out_.add("Shape", {&mask}), 0, 2, 4);
    Value& by_block = out_.add(
        "Reshape",
        {&mask, &concatenate(out_, {&out_.integers(any), &out_.integers(head), &tail}, 0)});
    return attend({&reshape(out_, op_.projected(x, false, 0), split),
                   &keys_of_blocks(op_.projected(x, false, 1), blocks),
                   &keys_of_blocks(op_.projected(x, false, 2), blocks)},
                  by_block);
  }

  Decomposition& out_;
  LongformerOperands op_;
  std::int64_t width_;
  DataType element_;
  Value& mask_;
  Value& hidden_;  ///< minus infinity
  Value& length_;
  Value& places_;  ///< of global tokens
  Value& flat_places_;
  Value& is_global_;  ///< whether there is one
};

constexpr std::int64_t longformer_opset = 11;  // Pad and TopK with operands, GatherElements

Results longformer_attention(Decomposition& out) {
  const auto op = read_op<LongformerAttention>(out.node());
  const PartialShape weight = out.shape(1);
  if (out.opset() < longformer_opset || out.element(0) == DataType::undefined || !weight ||
      !(*weight)[0].is_known())
    return {};
  const std::int64_t width = (*weight)[0].number();
  const auto projected = [&](Value& tokens, bool is_global, std::int64_t part) -> Value& {
    const std::int64_t first = is_global ? 4 : 1;
    Value& columns = slice_axis(out, *out.input(first), 1, part * width, (part + 1) * width);
    Value& bias = slice_axis(out, *out.input(first + 1), 0, part * width, (part + 1) * width);
    return out.add("Add", {&out.add("MatMul", {&tokens, &columns}), &bias});
  };
  return {
      &LongformerGraph(out, {op.heads, op.window, width, out.element(0), 3, 6, projected}).build()};
}

/// Projections are rounded to int8, attention is computed in float32.
Results longformer_attention_of_codes(Decomposition& out) {
  const auto op = read_op<QOrderedLongformerAttention>(out.node());
  const PartialShape weight = out.shape(2);
  if (out.opset() < longformer_opset || !weight || !(*weight)[0].is_known() || out.rank(8) != 2)
    return {};
  const std::int64_t width = (*weight)[0].number();
  const OrderedCodes codes(out);
  Value& weights = codes.from_layout(*out.input(2), 2, MatrixLayout::columns);
  Value& global_weights = codes.from_layout(*out.input(8), 2, MatrixLayout::columns);
  const auto projected = [&](Value& tokens, bool is_global, std::int64_t part) -> Value& {
    Value& columns =
        slice_axis(out, is_global ? global_weights : weights, 1, part * width, (part + 1) * width);
    Value& bias =
        slice_axis(out, *out.input(is_global ? 10 : 4), 0, part * width, (part + 1) * width);
    Value& scale = codes.scale(is_global ? 11 : 6);
    Value& factor = out.add(
        "Div", {&out.add("Mul", {&codes.scale(1), &codes.scale(is_global ? 9 : 3)}), &scale});
    Value& sums = out.add("MatMulInteger", {&tokens, &columns});
    return codes.dequantized(codes.rounded(out.add("Add", {&codes.scaled(sums, factor), &bias})),
                             scale);
  };
  Value& y = LongformerGraph(out, {op.heads, op.window, width, DataType::float32, 7, 12, projected})
                 .build();
  return {&codes.quantized(y, codes.scale(13))};
}

}  // namespace

std::span<const DecompositionRow> longformer_decompositions() {
  static constexpr DecompositionRow rows[] = {
      {"LongformerAttention", longformer_attention, 1, contrib_domain, true},
      {"QOrderedLongformerAttention", longformer_attention_of_codes}};
  return rows;
}

}  // namespace ortool

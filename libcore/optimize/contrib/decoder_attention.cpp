// Decompositions of the attention of decoders: to ONNX's Attention, and to the operators that take
// projected queries, keys and values.
#include "libcore/ops/contrib/attention/decoder_attention.hpp"

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/search/search_bodies.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

Value& projected(Decomposition& out, Value& x, Value& weights, Value& bias) {
  return out.add("Add", {&out.add("MatMul", {&x, &weights}), &bias});
}

/// Where DecoderAttention's keys and values come from. Each boolean is 0 or 1 here.
class DecoderSources {
 public:
  DecoderSources(Decomposition& out, std::int64_t heads, std::int64_t width)
      : out_(out),
        heads_(heads),
        width_(width),
        is_cross_(flag(8)),
        uses_cache_(out.input(6) != nullptr ? out.add("Mul", {&flag(9), &flag(10)})
                                            : integer_scalar(out, 0)) {}

  /// Heads before length.
  Value& by_head(Value& x) const {
    const std::int64_t split[] = {0, 0, heads_, width_ / heads_};
    return transpose(out_, reshape(out_, x, split), {1, 2, 0, 3});
  }

  /// New keys and values: of the queries' tokens in self-attention, else of the other ones where
  /// the cache does not hold them already.
  Value& projected_tokens() const {
    Value& own = first_of(*out_.input(0), 0, inverse(is_cross_));
    Value& others =
        first_of(*out_.input(1), 0, out_.add("Mul", {&is_cross_, &inverse(uses_cache_)}));
    return projected(out_, concatenate(out_, {&own, &others}, 0), *out_.input(3),
                     slice_axis(out_, *out_.input(4), 0, width_, end_of_axis));
  }

  Value& with_cache(Value& fresh, std::int64_t cache) const {
    if (out_.input(cache) == nullptr) return fresh;
    return concatenate(out_, {&first_of(*out_.input(cache), 2, uses_cache_), &fresh}, 2);
  }

  /// Batch x 1 x 1 x keys: the filter where there is padding; null without a mask.
  Value* mask(float filter) const {
    if (out_.input(5) == nullptr) return nullptr;
    const DataType element = out_.element(0);
    Value& is_used = cast_to(out_, flag(11), DataType::boolean);
    Value& is_padding = out_.add("And", {out_.input(5), &is_used});
    Value& added =
        out_.add("Where", {&is_padding, &scalar(out_, element, static_cast<double>(filter)),
                           &scalar(out_, element, 0)});
    return &unsqueeze(out_, unsqueeze(out_, added, 1), 1);
  }

 private:
  Value& flag(std::int64_t input) const {
    return cast_to(out_, out_.add("Reshape", {out_.input(input), &out_.integers({})}),
                   DataType::int64);
  }
  Value& inverse(Value& x) const { return out_.add("Sub", {&integer_scalar(out_, 1), &x}); }
  /// All of an axis, or nothing of it.
  Value& first_of(Value& x, std::int64_t axis, Value& is_wanted) const {
    Value& end = out_.add("Mul", {&axis_size(out_, x, axis), &is_wanted});
    const std::int64_t start[] = {0};
    const std::int64_t axes[] = {axis};
    return out_.add("Slice",
                    {&x, &out_.integers(start), &unsqueeze(out_, end, 0), &out_.integers(axes)});
  }

  Decomposition& out_;
  std::int64_t heads_;
  std::int64_t width_;
  Value& is_cross_;
  Value& uses_cache_;
};

Results decoder_attention(Decomposition& out) {
  const auto op = read_op<DecoderAttention>(out.node());
  const PartialShape weight = out.shape(2);
  if (out.opset() < opset_without_attribute("Slice", "starts") ||
      out.element(0) == DataType::undefined || !weight || !(*weight)[0].is_known())
    return {};
  const std::int64_t width = (*weight)[0].number();
  const DecoderSources sources(out, op.heads, width);
  Value& query =
      projected(out, *out.input(0), *out.input(2), slice_axis(out, *out.input(4), 0, 0, width));
  Value& both = sources.projected_tokens();
  Value& key = sources.with_cache(sources.by_head(slice_axis(out, both, 2, 0, width)), 6);
  Value& value =
      sources.with_cache(sources.by_head(slice_axis(out, both, 2, width, end_of_axis)), 7);
  constexpr std::int64_t opset_of_attention = 23;
  Value& y = add_since(out, opset_of_attention, "Attention",
                       {&sources.by_head(query), &key, &value, sources.mask(op.mask_filter)});
  const std::int64_t flat[] = {0, 0, width};
  Value& whole = reshape(out, transpose(out, y, {2, 0, 1, 3}), flat);
  return {&whole, out.has_output(1) ? &key : nullptr, out.has_output(2) ? &value : nullptr};
}

/// A cache in which the elements of keys are grouped, and one in which they are not.
class GroupedCache {
 public:
  GroupedCache(Decomposition& out, std::int64_t size, std::int64_t group)
      : out_(out), size_(size), group_(group) {}

  Value& plain_keys(Value& cache) const {
    Value& keys = part(cache, 0);
    if (group_ == size_) return keys;
    const std::int64_t grouped[] = {0, 0, size_ / group_, -1, group_};
    Value& shape = out_.add("Shape", {&keys});
    Value& moved = transpose(out_, reshape(out_, keys, grouped), {0, 1, 3, 2, 4});
    return out_.add("Reshape", {&moved, &shape});
  }
  Value& values(Value& cache) const { return part(cache, 1); }

  Value& joined(Value& keys, Value& values) const {
    return concatenate(out_, {&unsqueeze(out_, in_groups(keys), 0), &unsqueeze(out_, values, 0)},
                       0);
  }

 private:
  Value& in_groups(Value& keys) const {
    if (group_ == size_) return keys;
    const std::int64_t grouped[] = {0, 0, -1, size_ / group_, group_};
    Value& shape = out_.add("Shape", {&keys});
    Value& moved = transpose(out_, reshape(out_, keys, grouped), {0, 1, 3, 2, 4});
    return out_.add("Reshape", {&moved, &shape});
  }
  Value& part(Value& cache, std::int64_t index) const {
    return squeeze(out_, slice_axis(out_, cache, 0, index, index + 1), 0);
  }

  Decomposition& out_;
  std::int64_t size_;
  std::int64_t group_;
};

Results decoder_masked_self_attention(Decomposition& out) {
  const auto op = read_op<DecoderMaskedSelfAttention>(out.node());
  if (!op.shares_buffer) {
    return out.add_contrib_many(
        "Attention",
        {out.input(0), out.input(1), out.input(2), out.input(3), out.input(4), out.input(5)},
        {true, true}, out.attributes_but({"past_present_share_buffer"}));
  }
  const PartialShape weights = out.shape(1);
  if (!weights || !(*weights)[1].is_known() || out.element(0) == DataType::undefined) return {};
  const std::int64_t width = (*weights)[1].number() / 3;
  // A search fills its caches by other operators as well, which know no groups.
  const std::int64_t size = width / op.heads;
  const bool has_groups = !is_in_search_body(out.node());
  const GroupedCache cache(
      out, size, has_groups ? DecoderMaskedSelfAttention::key_group(out.element(0)) : size);
  Value& keys = cache.plain_keys(*out.input(4));
  Value& values = cache.values(*out.input(4));
  const Attribute* rotates = out.node().find_attribute("do_rotary");
  if (rotates != nullptr && std::get<std::int64_t>(rotates->value) != 0) {
    if (out.input(8) != nullptr) return {};
    Value& past = concatenate(out, {&unsqueeze(out, keys, 0), &unsqueeze(out, values, 0)}, 0);
    const std::vector<Value*> made = out.add_contrib_many(
        "Attention",
        {out.input(0), out.input(1), out.input(2), out.input(3), &past, out.input(5), out.input(6)},
        {true, true}, out.attributes_but({}));
    const GroupedCache plain(out, size, size);
    return {made[0], &cache.joined(plain.plain_keys(*made[1]), plain.values(*made[1]))};
  }
  Value& qkv = projected(out, *out.input(0), *out.input(1), *out.input(2));
  const auto third = [&](std::int64_t index) {
    return &slice_axis(out, qkv, 2, index * width, (index + 1) * width);
  };
  const std::vector<Value*> made =
      out.add_contrib_many("DecoderMaskedMultiHeadAttention",
                           {third(0), third(1), third(2), out.input(3), out.input(5), &keys,
                            &values, out.input(6), out.input(7), out.input(8)},
                           {true, true, true}, out.attributes_but({"do_rotary"}));
  return {made[0], &cache.joined(*made[1], *made[2])};
}

}  // namespace

std::span<const DecompositionRow> decoder_attention_decompositions() {
  static constexpr DecompositionRow rows[] = {
      {"DecoderAttention", decoder_attention, 3, contrib_domain, true},
      {"DecoderMaskedSelfAttention", decoder_masked_self_attention, 2, contrib_domain, true},
  };
  return rows;
}

}  // namespace ortool

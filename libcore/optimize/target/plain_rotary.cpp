// RotaryEmbedding and MRotaryEmbedding of com.microsoft in slices, products and sums.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#include <algorithm>
#include <utility>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/attention/rotary_embedding.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/target/rotary_nodes.hpp"
#include "libcore/optimize/target/target_tables.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;
using Integers = std::vector<std::int64_t>;

/// The last dimension of an input; -1 if it is not known.
std::int64_t known_width(const Decomposition& out, std::int64_t input) {
  const PartialShape shape = out.shape(input);
  return shape && !shape->empty() && shape->back().is_known() ? shape->back().number() : -1;
}

/// Where the heads are in an input, and how to bring them to the last axis.
struct HeadsForm {
  bool is_packed = false;   ///< batch x length x (heads side by side)
  std::int64_t heads = 0;   ///< of packed ones
  std::int64_t size = -1;   ///< of a head, if known
  std::int64_t pairs = -1;  ///< that are rotated
};

/// Nothing that can be rotated has no pairs.
HeadsForm form_of(const Decomposition& out, const ContribRotaryEmbedding& op) {
  HeadsForm form;
  form.is_packed = out.rank(0) == 3;
  const std::int64_t width = known_width(out, 0);
  const std::int64_t pairs = known_width(out, 2);
  if (out.rank(0) != 3 && out.rank(0) != 4) return form;
  form.heads = op.heads;
  form.size = form.is_packed && op.heads > 0 && width > 0 ? width / op.heads : -1;
  if (form.is_packed && op.heads == 0) {
    if (width < 0 || pairs <= 0 || width % (2 * pairs) != 0) return form;
    form.heads = width / (2 * pairs);
    form.size = 2 * pairs;
  }
  if (!form.is_packed) form.size = width;
  form.pairs = pairs;
  return form;
}

/// batch x length x pairs of one position for each token.
Value& angles_at(Decomposition& out, Value& positions, std::int64_t table) {
  return gather(out, *out.input(table), positions, 0);
}

Value& rotate_input(Decomposition& out, const HeadsForm& form, bool is_interleaved, Value& cosines,
                    Value& sines) {
  const std::int64_t head_axis = form.is_packed ? 2 : 1;
  const DataType type = out.element(0);
  const RotaryAngles angles = {&unsqueeze(out, widened(out, cosines, type), head_axis),
                               &unsqueeze(out, widened(out, sines, type), head_axis), form.pairs,
                               is_interleaved};
  Value* x = &widened(out, *out.input(0), type);
  const Integers split = {0, 0, form.heads, -1};
  if (form.is_packed) x = &reshape(out, *x, split);
  Value* y = &rotated_heads(out, *x, angles, form.size);
  const Integers flat = {0, 0, -1};
  if (form.is_packed) y = &reshape(out, *y, flat);
  return type == DataType::float32 ? *y : cast_to(out, *y, type);
}

/// Positions of each token: as given, or counted from the first one.
Value& positions_of_tokens(Decomposition& out, const HeadsForm& form) {
  if (out.rank(1) == 2) return *out.input(1);
  Value& length = axis_size(out, *out.input(0), form.is_packed ? 1 : 2);
  Value& counted = out.add("Add", {&range_to(out, length), out.input(1)});
  return unsqueeze(out, counted, 0);
}

Results rotary_embedding(Decomposition& out) {
  const auto op = read_op<ContribRotaryEmbedding>(out.node());
  const HeadsForm form = form_of(out, op);
  if (form.pairs <= 0 || out.element(0) == DataType::undefined || out.rank(1) < 0) return {};
  Value& positions = positions_of_tokens(out, form);
  return {&rotate_input(out, form, op.interleaved, angles_at(out, positions, 2),
                        angles_at(out, positions, 3))};
}

/// One of time, height and width for each angle.
Value& mixed_angles(Decomposition& out, const MRotaryEmbedding& op, Value& three,
                    std::int64_t pairs) {
  Value* mixed = nullptr;
  for (std::int64_t stream = 0; stream < 3; ++stream) {
    Tensor is_own(DataType::boolean, Shape({pairs}));
    bool has_any = false;
    for (std::int64_t angle = 0; angle < pairs; ++angle) {
      const bool own = op.stream_of(angle) == stream;
      is_own.mutable_data<bool>()[static_cast<std::size_t>(angle)] = own;
      has_any = has_any || own;
    }
    if (!has_any) continue;
    Value& part = gather(out, three, integer_scalar(out, stream), 0);
    mixed = mixed == nullptr ? &part : &out.add("Where", {&out.constant(is_own), &part, mixed});
  }
  return *mixed;
}

Results multimodal_rotary_embedding(Decomposition& out) {
  const auto op = read_op<MRotaryEmbedding>(out.node());
  const HeadsForm form = form_of(out, op);
  if (form.pairs <= 0 || out.element(0) == DataType::undefined) return {};
  Value& positions = *out.input(1);
  Value& cosines = mixed_angles(out, op, angles_at(out, positions, 2), form.pairs);
  Value& sines = mixed_angles(out, op, angles_at(out, positions, 3), form.pairs);
  return {&rotate_input(out, form, op.interleaved, cosines, sines)};
}

/// Both elements of each pair, and how they are put back.
struct Pairs {
  Value& first;
  Value& second;
};

Pairs pairs_of(Decomposition& out, Value& x, const RotaryAngles& angles, std::int64_t size) {
  const std::int64_t pairs = angles.pairs;
  if (!angles.is_interleaved) {
    return {slice_axis(out, x, 3, 0, pairs), slice_axis(out, x, 3, pairs, 2 * pairs)};
  }
  Value& part = size == 2 * pairs ? x : slice_axis(out, x, 3, 0, 2 * pairs);
  const Integers split = {0, 0, 0, pairs, 2};
  Value& both = reshape(out, part, split);
  return {gather(out, both, integer_scalar(out, 0), 4),
          gather(out, both, integer_scalar(out, 1), 4)};
}

}  // namespace

Value& rotated_heads(Decomposition& out, Value& x, const RotaryAngles& angles, std::int64_t size) {
  const Pairs pairs = pairs_of(out, x, angles, size);
  const auto product = [&](Value& part, Value* factor) -> Value& {
    return out.add("Mul", {&part, factor});
  };
  Value& first =
      out.add("Sub", {&product(pairs.first, angles.cosines), &product(pairs.second, angles.sines)});
  Value& second =
      out.add("Add", {&product(pairs.first, angles.sines), &product(pairs.second, angles.cosines)});
  std::vector<Value*> parts = {&first, &second};
  if (angles.is_interleaved) {
    Value& both = concatenate(out, {&unsqueeze(out, first, 4), &unsqueeze(out, second, 4)}, 4);
    const Integers flat = {0, 0, 0, 2 * angles.pairs};
    parts = {&reshape(out, both, flat)};
  }
  if (size != 2 * angles.pairs)
    parts.push_back(&slice_axis(out, x, 3, 2 * angles.pairs, end_of_axis));
  return parts.size() == 1 ? *parts.front() : concatenate(out, std::move(parts), 3);
}

std::span<const DecompositionRow> plain_rotary_embeddings() {
  static constexpr DecompositionRow rows[] = {
      {"MRotaryEmbedding", multimodal_rotary_embedding},
      {"RotaryEmbedding", rotary_embedding},
  };
  return rows;
}

}  // namespace ortool

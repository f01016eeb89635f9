// Versions of SplitToSequence; the element type keeps the split size only if all pieces have the
// same.
#include "libcore/ops/sequence/split_to_sequence.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

namespace {

/// The size that all pieces have in common, or unknown.
Dimension common_piece_size(const InferContext& context, const Dimension& whole) {
  const std::int64_t rank = context.rank(1);
  const std::optional<std::vector<std::int64_t>> sizes = context.integers(1);
  if (!sizes || rank < 0) return {};
  const std::int64_t least = rank == 0 ? 1 : 0;
  std::int64_t sum = 0;
  for (const std::int64_t size : *sizes) {
    if (size < least) {
      throw Error(ErrorCode::invalid,
                  format("a part has size {} (expected at least {})", size, least));
    }
    sum = add_sizes(sum, size);
  }
  if (sizes->empty()) return {};
  const std::int64_t first = sizes->front();
  if (rank == 0) {
    if (!whole.is_known()) return {};
    if (whole.number() % first == 0) return first;
    return whole.number() < first ? whole : Dimension();
  }
  check_dimension("the axis", whole, sum);
  const bool are_equal = std::all_of(sizes->begin(), sizes->end(),
                                     [first](std::int64_t size) { return size == first; });
  return are_equal ? Dimension(first) : Dimension();
}

}  // namespace

constinit const OpSchema SplitToSequence::schema = {
    "SplitToSequence",
    "",
    {{.since = 11,
      .inputs = {{"input", "T"}, {"split", "I", Formal::Count::optional}},
      .outputs = {{"output_sequence", "S"}},
      .attributes = {{"axis", AttributeKind::integer, false, 0},
                     {"keepdims", AttributeKind::integer, false, 1}},
      .types = {{"T", types::all_tensors},
                {"I", types::indices},
                {"S", types::sequences_of(types::all_tensors)}}},
     {.since = 24,
      .inputs = {{"input", "T"}, {"split", "I", Formal::Count::optional}},
      .outputs = {{"output_sequence", "S"}},
      .attributes = {{"axis", AttributeKind::integer, false, 0},
                     {"keepdims", AttributeKind::integer, false, 1}},
      .types = {{"T", types::all_tensors_and_bfloat16},
                {"I", types::indices},
                {"S", types::sequences_of(types::all_tensors_and_bfloat16)}}}}};

void SplitToSequence::read(AttributeReader& attributes, int) {
  axis = attributes.integer("axis");
  keeps_axis = attributes.flag("keepdims", true);
}

void SplitToSequence::infer(InferContext& context) const {
  PartialShape shape = context.shape(0);
  if (context.rank(1) > 1) check_rank(context, 1, "split", 1);
  if (shape) {
    const std::int64_t along = normalize_axis(axis, static_cast<std::int64_t>(shape->size()));
    Dimension& dimension = (*shape)[static_cast<std::size_t>(along)];
    if (context.has_input(1)) {
      dimension = common_piece_size(context, dimension);
    } else if (keeps_axis) {
      dimension = 1;
    } else {
      shape->erase(shape->begin() + along);
    }
  }
  if (!context.has_output(0)) return;
  context.set_output_type(
      0, ValueType::sequence(ValueType::tensor(context.element(0), std::move(shape))));
}

}  // namespace ortool

// Versions of Transpose, which differ in types only.
#include "libcore/ops/tensor/layout/transpose.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<AttributeSpec> transpose_attributes = {
    {"perm", AttributeKind::integers}};

/// For each element of the transposed tensor, its source position in a tensor of shape `from`.
std::vector<std::int64_t> transposed_positions(const Shape& from,
                                               const std::vector<std::int64_t>& order) {
  std::vector<std::int64_t> positions = {0};
  for (const std::int64_t axis : order) {
    const std::int64_t stride = from.product(axis + 1, from.rank());
    std::vector<std::int64_t> next;
    for (const std::int64_t position : positions) {
      for (std::int64_t i = 0; i < from[axis]; ++i) next.push_back(position + i * stride);
    }
    positions = std::move(next);
  }
  return positions;
}

}  // namespace

constinit const OpSchema Transpose::schema = {"Transpose",
                                              "",
                                              {{.since = 1,
                                                .inputs = {{"data", "T"}},
                                                .outputs = {{"transposed", "T"}},
                                                .attributes = transpose_attributes,
                                                .types = {{"T", types::all_tensors}}},
                                               {.since = 13,
                                                .inputs = {{"data", "T"}},
                                                .outputs = {{"transposed", "T"}},
                                                .attributes = transpose_attributes,
                                                .types = {{"T", types::all_tensors_and_bfloat16}}},
                                               {.since = 21,
                                                .inputs = {{"data", "T"}},
                                                .outputs = {{"transposed", "T"}},
                                                .attributes = transpose_attributes,
                                                .types = {{"T", types::all_tensors_ir10}}},
                                               {.since = 23,
                                                .inputs = {{"data", "T"}},
                                                .outputs = {{"transposed", "T"}},
                                                .attributes = transpose_attributes,
                                                .types = {{"T", types::all_tensors_ir11}}},
                                               {.since = 24,
                                                .inputs = {{"data", "T"}},
                                                .outputs = {{"transposed", "T"}},
                                                .attributes = transpose_attributes,
                                                .types = {{"T", types::all_tensors_ir12}}},
                                               {.since = 25,
                                                .inputs = {{"data", "T"}},
                                                .outputs = {{"transposed", "T"}},
                                                .attributes = transpose_attributes,
                                                .types = {{"T", types::all_tensors_ir13}}}}};

void Transpose::read(AttributeReader& attributes, int) {
  permutation = attributes.find_integers("perm");
  if (!permutation) return;
  std::vector<bool> seen(permutation->size());
  for (const std::int64_t axis : *permutation) {
    const bool is_inside = axis >= 0 && axis < static_cast<std::int64_t>(seen.size());
    if (is_inside && !seen[static_cast<std::size_t>(axis)]) {
      seen[static_cast<std::size_t>(axis)] = true;
      continue;
    }
    throw Error(ErrorCode::invalid,
                format("attribute 'perm' holds {} {} (expected each of 0 to {} "
                       "once)",
                       axis, is_inside ? "twice" : "outside the rank", seen.size() - 1));
  }
}

std::vector<std::int64_t> Transpose::order(std::int64_t rank) const {
  if (permutation) {
    if (static_cast<std::int64_t>(permutation->size()) == rank) return *permutation;
    throw Error(ErrorCode::invalid,
                format("attribute 'perm' has {} axes, but the input has rank {}",
                       permutation->size(), rank));
  }
  std::vector<std::int64_t> reversed;
  for (std::int64_t axis = rank; axis-- > 0;) reversed.push_back(axis);
  return reversed;
}

void Transpose::infer(InferContext& context) const {
  const PartialShape shape = context.shape(0);
  PartialShape result;
  if (shape) {
    result.emplace();
    for (const std::int64_t axis : order(static_cast<std::int64_t>(shape->size())))
      result->push_back((*shape)[static_cast<std::size_t>(axis)]);
  } else if (permutation) {
    result = Dimensions(permutation->size());
  }
  context.set_output(0, context.element(0), std::move(result));
  if (const std::optional<KnownTensor> known = known_input(context, 0))
    pick_elements(context, transposed_positions(known->shape, order(known->shape.rank())));
}

}  // namespace ortool

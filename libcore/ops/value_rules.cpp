// Index arithmetic on small tensors, and elementwise propagation of known values.
#include "libcore/ops/value_rules.hpp"

#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

std::optional<Shape> small_shape(const PartialShape& partial) {
  std::optional<Shape> shape = to_known(partial);
  return shape && are_few(*shape) ? shape : std::nullopt;
}

}  // namespace

std::optional<KnownTensor> known_input(const InferContext& context, std::int64_t index) {
  if (!has_known_elements(context.element(index))) return std::nullopt;
  std::optional<Shape> shape = small_shape(context.shape(index));
  if (!shape) return std::nullopt;
  std::optional<KnownElements> elements = context.input_elements(index);
  if (!elements || static_cast<std::int64_t>(elements->size()) != shape->element_count())
    return std::nullopt;
  return KnownTensor{std::move(*shape), std::move(*elements)};
}

void set_known_output(InferContext& context, std::int64_t index, DataType element,
                      std::optional<KnownElements> elements) {
  if (!elements || !context.has_output(index) || !has_known_elements(element)) return;
  if (static_cast<std::int64_t>(elements->size()) > max_known_elements) return;
  context.set_output_elements(index, std::move(*elements));
}

void keep_elements(InferContext& context) {
  if (std::optional<KnownTensor> known = known_input(context, 0))
    set_known_output(context, 0, context.element(0), std::move(known->elements));
}

void pick_elements(InferContext& context, const std::vector<std::int64_t>& positions) {
  if (static_cast<std::int64_t>(positions.size()) > max_known_elements) return;
  const std::optional<KnownTensor> known = known_input(context, 0);
  if (!known) return;
  KnownElements picked;
  picked.reserve(positions.size());
  for (const std::int64_t position : positions)
    picked.push_back(known->elements[static_cast<std::size_t>(position)]);
  set_known_output(context, 0, context.element(0), std::move(picked));
}

bool are_few(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t dimension : shape) {
    // A zero dimension after sizes whose product already exceeds the limit is not considered.
    if (dimension > max_known_elements) return false;
    count *= dimension;
    if (count > max_known_elements) return false;
  }
  return true;
}

std::vector<std::int64_t> broadcast_positions(const Shape& from, const Shape& to) {
  std::vector<std::int64_t> positions = {0};
  std::int64_t stride = from.element_count();
  for (std::int64_t axis = 0; axis < to.rank(); ++axis) {
    const std::int64_t own = axis - (to.rank() - from.rank());
    const std::int64_t size = own >= 0 ? from[own] : 1;
    if (size > 0) stride /= size;
    std::vector<std::int64_t> next;
    for (const std::int64_t position : positions) {
      for (std::int64_t i = 0; i < to[axis]; ++i)
        next.push_back(position + (size == 1 ? 0 : i * stride));
    }
    positions = std::move(next);
  }
  return positions;
}

void combine_elements(InferContext& context, DataType result,
                      FunctionRef<KnownElement(const KnownElement&, const KnownElement&)> combine) {
  const std::optional<KnownTensor> a = known_input(context, 0);
  const std::optional<KnownTensor> b = a ? known_input(context, 1) : std::nullopt;
  if (!b) return;
  const std::optional<Shape> shape =
      small_shape(broadcast_shapes(to_partial(a->shape), to_partial(b->shape)));
  if (!shape) return;
  const std::vector<std::int64_t> first = broadcast_positions(a->shape, *shape);
  const std::vector<std::int64_t> second = broadcast_positions(b->shape, *shape);
  KnownElements elements;
  for (std::size_t i = 0; i < first.size(); ++i) {
    elements.push_back(combine(a->elements[static_cast<std::size_t>(first[i])],
                               b->elements[static_cast<std::size_t>(second[i])]));
  }
  set_known_output(context, 0, result, std::move(elements));
}

void change_elements(InferContext& context, DataType result,
                     FunctionRef<KnownElement(const KnownElement&)> change) {
  std::optional<KnownTensor> known = known_input(context, 0);
  if (!known) return;
  for (KnownElement& element : known->elements) element = change(element);
  set_known_output(context, 0, result, std::move(known->elements));
}

}  // namespace ortool

// Schema of ConcatFromSequence; the size of the axis depends on the sequence.
#include "libcore/ops/sequence/concat_from_sequence.hpp"

#include "libcore/ops/sequence/element_types.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {

constinit const OpSchema ConcatFromSequence::schema = {
    "ConcatFromSequence",
    "",
    {{.since = 11,
      .inputs = {{"input_sequence", "S"}},
      .outputs = {{"concat_result", "T"}},
      .attributes = {{"axis", AttributeKind::integer, true},
                     {"new_axis", AttributeKind::integer, false, 0}},
      .types = {{"S", types::sequences_of(types::all_tensors)}, {"T", types::all_tensors}}}}};

void ConcatFromSequence::read(AttributeReader& attributes, int) {
  axis = attributes.integer("axis");
  is_new_axis = attributes.flag("new_axis");
}

void ConcatFromSequence::infer(InferContext& context) const {
  ValueType element = element_of_sequence(context, 0);
  PartialShape shape = std::move(element.shape);
  if (shape) {
    const auto rank = static_cast<std::int64_t>(shape->size()) + (is_new_axis ? 1 : 0);
    const std::int64_t along = normalize_axis(axis, rank);
    if (is_new_axis) shape->insert(shape->begin() + along, Dimension());
    (*shape)[static_cast<std::size_t>(along)] = Dimension();
  }
  context.set_output(0, element.element, std::move(shape));
}

}  // namespace ortool

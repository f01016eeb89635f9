// Schema and shape rule of ReverseSequence; the first two axes are time and batch, in either order.
#include "libcore/ops/tensor/reverse_sequence.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constexpr std::initializer_list<Formal> reverse_sequence_inputs = {
    {"input", "T"}, {"sequence_lens", "tensor(int64)"}};

constexpr std::initializer_list<AttributeSpec> reverse_sequence_attributes = {
    {"batch_axis", AttributeKind::integer, false, 1},
    {"time_axis", AttributeKind::integer, false, 0}};

constinit const OpSchema ReverseSequence::schema = {
    "ReverseSequence",
    "",
    {{.since = 10,
      .inputs = reverse_sequence_inputs,
      .outputs = {{"Y", "T"}},
      .attributes = reverse_sequence_attributes,
      .types = {{"T", types::all_tensors}}},
     {.since = 28,
      .inputs = reverse_sequence_inputs,
      .outputs = {{"Y", "T"}},
      .attributes = reverse_sequence_attributes,
      .types = {{"T", types::all_tensors_and_bfloat16}}}}};

void ReverseSequence::read(AttributeReader& attributes, int) {
  batch_axis = attributes.integer_in("batch_axis", 1, 0, 1);
  time_axis = attributes.integer_in("time_axis", 0, 0, 1);
  if (batch_axis == time_axis) {
    throw Error(ErrorCode::invalid,
                format("batch_axis and time_axis are both {} (expected 0 and 1)", batch_axis));
  }
}

void ReverseSequence::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "input", 2);
  check_vector(context, 1, "sequence_lens", dimension_at(context, 0, batch_axis));
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool

// Schema and shape rule of Trilu; matrices keep their shape.
#include "libcore/ops/tensor/trilu.hpp"

#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema Trilu::schema = {
    "Trilu",
    "",
    {{.since = 14,
      .inputs = {{"input", "T"}, {"k", "tensor(int64)", Formal::Count::optional}},
      .outputs = {{"output", "T"}},
      .attributes = {{"upper", AttributeKind::integer, false, 1}},
      .types = {{"T", types::all_tensors_and_bfloat16}}}}};

void Trilu::read(AttributeReader& attributes, int) {
  k = attributes.integer_or_input("k", 1);
  upper = attributes.flag("upper", true);
}

void Trilu::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "input", 2);
  check_single(context, 1, "k");
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool

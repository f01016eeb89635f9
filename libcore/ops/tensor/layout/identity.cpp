// Versions of Identity; 14 added sequences, 16 optionals.
#include "libcore/ops/tensor/layout/identity.hpp"

#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {

constinit const OpSchema Identity::schema = {
    "Identity",
    "",
    {{.since = 1,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .types = {{"T", types::all_tensors}}},
     {.since = 13,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .types = {{"T", types::all_tensors_and_bfloat16}}},
     {.since = 14,
      .inputs = {{"input", "V"}},
      .outputs = {{"output", "V"}},
      .types = {{"V", types::all_tensors_and_bfloat16 | types::all_sequences}}},
     {.since = 16,
      .inputs = {{"input", "V"}},
      .outputs = {{"output", "V"}},
      .types = {{"V",
                 types::all_tensors_and_bfloat16 | types::all_sequences | types::all_optionals}}},
     {.since = 19,
      .inputs = {{"input", "V"}},
      .outputs = {{"output", "V"}},
      .types = {{"V", types::all_tensors_ir9 | types::all_sequences | types::all_optionals}}},
     {.since = 21,
      .inputs = {{"input", "V"}},
      .outputs = {{"output", "V"}},
      .types = {{"V", types::all_tensors_ir10 | types::all_sequences | types::all_optionals}}},
     {.since = 23,
      .inputs = {{"input", "V"}},
      .outputs = {{"output", "V"}},
      .types = {{"V", types::all_tensors_ir11 | types::all_sequences | types::all_optionals}}},
     {.since = 24,
      .inputs = {{"input", "V"}},
      .outputs = {{"output", "V"}},
      .types = {{"V", types::all_tensors_ir12 | types::all_sequences | types::all_optionals}}},
     {.since = 25,
      .inputs = {{"input", "V"}},
      .outputs = {{"output", "V"}},
      .types = {{"V", types::all_tensors_ir13 | types::all_sequences | types::all_optionals}}}}};

void Identity::read(AttributeReader&, int) {}

void Identity::infer(InferContext& context) const {
  if (const ValueType* type = context.input_type(0)) context.set_output_type(0, *type);
  keep_elements(context);
  context.forward_value(0, 0);
}

}  // namespace ortool

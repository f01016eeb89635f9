// Versions and type rules of the optional operators; 18 also accepts inputs that are not optional.
#include "libcore/ops/sequence/optional_ops.hpp"

#include "libcore/base/format.hpp"

namespace ortool {

namespace {

constexpr TypeSet tensors_and_sequences =
    types::all_tensors | types::sequences_of(types::all_tensors);
constexpr TypeSet tensors_and_sequences_28 =
    types::all_tensors_ir14 | types::sequences_of(types::all_tensors_ir14);

}  // namespace

constinit const OpSchema Optional::schema = {
    "Optional",
    "",
    {{.since = 15,
      .inputs = {{"input", "V", Formal::Count::optional}},
      .outputs = {{"output", "O"}},
      .attributes = {{"type", AttributeKind::type}},
      .types = {{"V", tensors_and_sequences}, {"O", types::optionals_of(tensors_and_sequences)}}},
     {.since = 28,
      .inputs = {{"input", "V", Formal::Count::optional}},
      .outputs = {{"output", "O"}},
      .attributes = {{"type", AttributeKind::type}},
      .types = {{"V", tensors_and_sequences_28},
                {"O", types::optionals_of(tensors_and_sequences_28)}}}}};

constinit const OpSchema OptionalHasElement::schema = {
    "OptionalHasElement",
    "",
    {{.since = 15,
      .inputs = {{"input", "O"}},
      .outputs = {{"output", "B"}},
      .types = {{"O", types::optionals_of(tensors_and_sequences)}, {"B", types::boolean_only}}},
     {.since = 18,
      .inputs = {{"input", "O", Formal::Count::optional}},
      .outputs = {{"output", "B"}},
      .types = {{"O", types::optionals_of(tensors_and_sequences) | tensors_and_sequences},
                {"B", types::boolean_only}}},
     {.since = 28,
      .inputs = {{"input", "O", Formal::Count::optional}},
      .outputs = {{"output", "B"}},
      .types = {{"O", types::optionals_of(tensors_and_sequences_28) | tensors_and_sequences_28},
                {"B", types::boolean_only}}}}};

constinit const OpSchema OptionalGetElement::schema = {
    "OptionalGetElement",
    "",
    {{.since = 15,
      .inputs = {{"input", "O"}},
      .outputs = {{"output", "V"}},
      .types = {{"O", types::optionals_of(tensors_and_sequences)}, {"V", tensors_and_sequences}}},
     {.since = 18,
      .inputs = {{"input", "O"}},
      .outputs = {{"output", "V"}},
      .types = {{"O", types::optionals_of(tensors_and_sequences) | tensors_and_sequences},
                {"V", tensors_and_sequences}}},
     {.since = 28,
      .inputs = {{"input", "O"}},
      .outputs = {{"output", "V"}},
      .types = {{"O", types::optionals_of(tensors_and_sequences_28) | tensors_and_sequences_28},
                {"V", tensors_and_sequences_28}}}}};

void Optional::read(AttributeReader& attributes, int) {
  const ValueType* type = attributes.type("type");
  if (type != nullptr) {
    element = *type;
  } else if (attributes.node().input(0) == nullptr) {
    throw Error(ErrorCode::invalid,
                "neither an input nor attribute 'type' is given (expected one of them)");
  }
  if (attributes.version().allowed("V").may_contain(element)) return;
  throw Error(ErrorCode::invalid,
              format("attribute 'type' is {}, which version {} does not take",
                     escape_control_characters(element.to_string()), attributes.version().since));
}

void Optional::infer(InferContext& context) const {
  const ValueType* input = context.input_type(0);
  if (context.has_output(0))
    context.set_output_type(0, ValueType::optional(input != nullptr ? *input : element));
}

void OptionalHasElement::infer(InferContext& context) const {
  context.set_output(0, DataType::boolean, Dimensions{});
}

void OptionalGetElement::infer(InferContext& context) const {
  const ValueType* input = context.input_type(0);
  if (input == nullptr || !context.has_output(0)) return;
  if (input->kind != ValueType::Kind::optional) {
    context.set_output_type(0, *input);
  } else if (input->inner) {
    context.set_output_type(0, *input->inner);
  }
}

}  // namespace ortool

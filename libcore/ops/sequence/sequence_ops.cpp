// Versions and type rules of the sequence operators.
#include "libcore/ops/sequence/sequence_ops.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/sequence/element_types.hpp"

namespace ortool {

constinit const OpSchema SequenceConstruct::schema = {
    "SequenceConstruct",
    "",
    {{.since = 11,
      .inputs = {{"inputs", "T", Formal::Count::variadic}},
      .outputs = {{"output_sequence", "S"}},
      .types = {{"T", types::all_tensors}, {"S", types::sequences_of(types::all_tensors)}}}}};

constinit const OpSchema SequenceEmpty::schema = {
    "SequenceEmpty",
    "",
    {{.since = 11,
      .outputs = {{"output", "S"}},
      .attributes = {{"dtype", AttributeKind::integer}},
      .types = {{"S", types::sequences_of(types::all_tensors)}}}}};

constinit const OpSchema SequenceAt::schema = {
    "SequenceAt",
    "",
    {{.since = 11,
      .inputs = {{"input_sequence", "S"}, {"position", "I"}},
      .outputs = {{"tensor", "T"}},
      .types = {{"S", types::sequences_of(types::all_tensors)},
                {"T", types::all_tensors},
                {"I", types::indices}}}}};

constinit const OpSchema SequenceErase::schema = {
    "SequenceErase",
    "",
    {{.since = 11,
      .inputs = {{"input_sequence", "S"}, {"position", "I", Formal::Count::optional}},
      .outputs = {{"output_sequence", "S"}},
      .types = {{"S", types::sequences_of(types::all_tensors)}, {"I", types::indices}}}}};

constinit const OpSchema SequenceInsert::schema = {
    "SequenceInsert",
    "",
    {{.since = 11,
      .inputs = {{"input_sequence", "S"},
                 {"tensor", "T"},
                 {"position", "I", Formal::Count::optional}},
      .outputs = {{"output_sequence", "S"}},
      .types = {{"T", types::all_tensors},
                {"S", types::sequences_of(types::all_tensors)},
                {"I", types::indices}}}}};

constinit const OpSchema SequenceLength::schema = {
    "SequenceLength",
    "",
    {{.since = 11,
      .inputs = {{"input_sequence", "S"}},
      .outputs = {{"length", "I"}},
      .types = {{"S", types::sequences_of(types::all_tensors)}, {"I", types::int64_only}}}}};

void SequenceConstruct::infer(InferContext& context) const {
  ValueType element;
  for (std::int64_t i = 0; i < context.input_count(); ++i) {
    const ValueType* type = context.input_type(i);
    const ValueType next = type != nullptr ? *type : ValueType();
    element = i == 0 ? next : common_type(element, next, format("input {}", i));
  }
  element.denotation.clear();
  if (context.has_output(0)) context.set_output_type(0, ValueType::sequence(std::move(element)));
}

void SequenceEmpty::read(AttributeReader& attributes, int) {
  const std::int64_t number =
      attributes.integer("dtype", static_cast<std::int64_t>(DataType::float32));
  const bool is_type = number > 0 && number < data_type_count;
  element = is_type ? static_cast<DataType>(number) : DataType::undefined;
  if (!attributes.version().allowed("S").contains(TypeSet::Container::sequence, element)) {
    throw Error(ErrorCode::invalid,
                format("dtype is {} (expected the number of a tensor type that version {} takes)",
                       number, attributes.version().since));
  }
}

void SequenceEmpty::infer(InferContext& context) const {
  if (context.has_output(0))
    context.set_output_type(0, ValueType::sequence(ValueType::tensor(element)));
}

void SequenceAt::infer(InferContext& context) const {
  check_single(context, 1, "position");
  ValueType element = element_of_sequence(context, 0);
  if (context.has_output(0)) context.set_output_type(0, std::move(element));
}

void SequenceErase::infer(InferContext& context) const {
  check_single(context, 1, "position");
  ValueType element = element_of_sequence(context, 0);
  if (context.has_output(0)) context.set_output_type(0, ValueType::sequence(std::move(element)));
}

void SequenceInsert::infer(InferContext& context) const {
  check_single(context, 2, "position");
  const ValueType* tensor = context.input_type(1);
  ValueType element = common_type(element_of_sequence(context, 0),
                                  tensor != nullptr ? *tensor : ValueType(), "the tensor");
  if (context.has_output(0)) context.set_output_type(0, ValueType::sequence(std::move(element)));
}

void SequenceLength::infer(InferContext& context) const {
  static_cast<void>(element_of_sequence(context, 0));
  context.set_output(0, DataType::int64, Dimensions{});
}

}  // namespace ortool

// Versions of Dropout: first attribute is_test, then inference only, then input training_mode.
#include "libcore/ops/nn/dropout.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema Dropout::schema = {
    "Dropout",
    "",
    {{.since = 1,
      .inputs = {{"data", "T"}},
      .outputs = {{"output", "T"}, {"mask", "T", Formal::Count::optional}},
      .attributes = {{"consumed_inputs", AttributeKind::integers},
                     {"is_test", AttributeKind::integer, false, 0},
                     {"ratio", AttributeKind::float_number, false, 0.5F}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = {{"data", "T"}},
      .outputs = {{"output", "T"}, {"mask", "T", Formal::Count::optional}},
      .attributes = {{"is_test", AttributeKind::integer, false, 0},
                     {"ratio", AttributeKind::float_number, false, 0.5F}},
      .types = {{"T", types::high_floats}}},
     {.since = 7,
      .inputs = {{"data", "T"}},
      .outputs = {{"output", "T"}, {"mask", "T", Formal::Count::optional}},
      .attributes = {{"ratio", AttributeKind::float_number, false, 0.5F}},
      .types = {{"T", types::high_floats}}},
     {.since = 10,
      .inputs = {{"data", "T"}},
      .outputs = {{"output", "T"}, {"mask", "T1", Formal::Count::optional}},
      .attributes = {{"ratio", AttributeKind::float_number, false, 0.5F}},
      .types = {{"T", types::high_floats}, {"T1", types::boolean_only}}},
     {.since = 12,
      .inputs = {{"data", "T"},
                 {"ratio", "T1", Formal::Count::optional},
                 {"training_mode", "T2", Formal::Count::optional}},
      .outputs = {{"output", "T"}, {"mask", "T2", Formal::Count::optional}},
      .attributes = {{"seed", AttributeKind::integer}},
      .types = {{"T", types::high_floats},
                {"T1", types::high_floats},
                {"T2", types::boolean_only}}},
     {.since = 13,
      .inputs = {{"data", "T"},
                 {"ratio", "T1", Formal::Count::optional},
                 {"training_mode", "T2", Formal::Count::optional}},
      .outputs = {{"output", "T"}, {"mask", "T2", Formal::Count::optional}},
      .attributes = {{"seed", AttributeKind::integer}},
      .types = {{"T", types::floats}, {"T1", types::high_floats}, {"T2", types::boolean_only}}},
     {.since = 22,
      .inputs = {{"data", "T"},
                 {"ratio", "T1", Formal::Count::optional},
                 {"training_mode", "T2", Formal::Count::optional}},
      .outputs = {{"output", "T"}, {"mask", "T2", Formal::Count::optional}},
      .attributes = {{"seed", AttributeKind::integer}},
      .types = {{"T", types::floats | types_of({DataType::float8e4m3fn, DataType::float8e4m3fnuz,
                                                DataType::float8e5m2, DataType::float8e5m2fnuz})},
                {"T1", types::floats | types_of({DataType::float8e4m3fn, DataType::float8e4m3fnuz,
                                                 DataType::float8e5m2, DataType::float8e5m2fnuz})},
                {"T2", types::boolean_only}}}}};

void Dropout::read(AttributeReader& attributes, int version) {
  ratio = attributes.number_or_input("ratio", 1);
  if (ratio.is_known() && !(*ratio.value >= 0.0F && *ratio.value <= 1.0F)) {
    throw Error(ErrorCode::invalid, format("ratio is {} (expected 0 to 1)", *ratio.value));
  }
  seed = attributes.find_integer("seed");
  has_boolean_mask = version >= 10;
  if (version < 7) {
    is_training.value = !attributes.flag("is_test");
  } else if (version >= 12) {
    const Value* mode = attributes.node().input(2);
    if (mode != nullptr) is_training.input = 2;
    if (mode != nullptr && mode->is_constant()) {
      const Tensor& tensor = mode->constant();
      if (tensor.type() != DataType::boolean || tensor.element_count() != 1) {
        throw Error(ErrorCode::invalid,
                    format("training_mode is {} of {} elements (expected one bool)",
                           name_of(tensor.type()), tensor.element_count()));
      }
      is_training.value = tensor.data<std::uint8_t>()[0] != 0;
    }
  }
}

void Dropout::infer(InferContext& context) const {
  if (is_training.input >= 0 || context.has_input(1)) {
    check_single(context, 1, "ratio");
    check_single(context, 2, "training_mode");
  }
  context.set_output(0, context.element(0), context.shape(0));
  context.set_output(1, has_boolean_mask ? DataType::boolean : context.element(0),
                     context.shape(0));
}

}  // namespace ortool

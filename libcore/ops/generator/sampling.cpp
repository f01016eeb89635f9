// Versions of Bernoulli and Multinomial; 22 added bfloat16 to both.
#include "libcore/ops/generator/sampling.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/element_type.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema Bernoulli::schema = {
    "Bernoulli",
    "",
    {{.since = 15,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = {{"dtype", AttributeKind::integer}, {"seed", AttributeKind::float_number}},
      .types = {{"T1", types::high_floats},
                {"T2", types::numbers_and_bfloat16 | types::boolean_only}}},
     {.since = 22,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = {{"dtype", AttributeKind::integer}, {"seed", AttributeKind::float_number}},
      .types = {{"T1", types::floats},
                {"T2", types::numbers_and_bfloat16 | types::boolean_only}}}}};

constinit const OpSchema Multinomial::schema = {
    "Multinomial",
    "",
    {{.since = 7,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = {{"dtype", AttributeKind::integer, false, 6},
                     {"sample_size", AttributeKind::integer, false, 1},
                     {"seed", AttributeKind::float_number}},
      .types = {{"T1", types::high_floats}, {"T2", types::indices}}},
     {.since = 22,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = {{"dtype", AttributeKind::integer, false, 6},
                     {"sample_size", AttributeKind::integer, false, 1},
                     {"seed", AttributeKind::float_number}},
      .types = {{"T1", types::floats}, {"T2", types::indices}}}}};

void Bernoulli::read(AttributeReader& attributes, int) {
  seed = attributes.find_number("seed");
  element = read_element_type(attributes, "dtype", "T2");
}

void Bernoulli::infer(InferContext& context) const {
  context.set_output(0, element.value_or(context.element(0)), context.shape(0));
}

void Multinomial::read(AttributeReader& attributes, int) {
  seed = attributes.find_number("seed");
  element = read_element_type(attributes, "dtype", "T2").value_or(DataType::int32);
  sample_size = attributes.integer("sample_size", 1);
  if (sample_size < 1 || sample_size > std::int64_t{1} << 31) {
    throw Error(ErrorCode::invalid, format("sample_size is {} (expected 1 to 2^31)", sample_size));
  }
}

void Multinomial::infer(InferContext& context) const {
  check_rank(context, 0, "input", 2);
  context.set_output(0, element, Dimensions{dimension_at(context, 0, 0), sample_size});
}

}  // namespace ortool

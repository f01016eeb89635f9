// Versions of EyeLike, which differ in types only.
#include "libcore/ops/generator/eye_like.hpp"

#include "libcore/ops/element_type.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constexpr std::initializer_list<AttributeSpec> eye_like_attributes = {
    {"dtype", AttributeKind::integer}, {"k", AttributeKind::integer, false, 0}};

constinit const OpSchema EyeLike::schema = {
    "EyeLike",
    "",
    {{.since = 9,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = eye_like_attributes,
      .types = {{"T1", types::boolean_only | types::numbers},
                {"T2", types::boolean_only | types::numbers}}},
     {.since = 22,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = eye_like_attributes,
      .types = {{"T1", types::boolean_only | types::numbers_and_bfloat16},
                {"T2", types::boolean_only | types::numbers_and_bfloat16}}}}};

void EyeLike::read(AttributeReader& attributes, int) {
  type = read_element_type(attributes, "dtype", "T2");
  k = attributes.integer("k", 0);
}

void EyeLike::infer(InferContext& context) const {
  check_rank(context, 0, "input", 2);
  context.set_output(0, type.value_or(context.element(0)),
                     context.shape(0).value_or(Dimensions(2)));
}

}  // namespace ortool

// Versions of Clip: bounds by attribute (6: the range of float32 by default), inputs since 11.
#include "libcore/ops/nn/clip.hpp"

#include <limits>

#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema Clip::schema = {
    "Clip",
    "",
    {{.since = 1,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"consumed_inputs", AttributeKind::integers},
                     {"max", AttributeKind::float_number},
                     {"min", AttributeKind::float_number}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"max", AttributeKind::float_number, false, 3.4028235e+38F},
                     {"min", AttributeKind::float_number, false, -3.4028235e+38F}},
      .types = {{"T", types::high_floats}}},
     {.since = 11,
      .inputs = {{"input", "T"},
                 {"min", "T", Formal::Count::optional},
                 {"max", "T", Formal::Count::optional}},
      .outputs = {{"output", "T"}},
      .types = {{"T", types::high_floats}}},
     {.since = 12,
      .inputs = {{"input", "T"},
                 {"min", "T", Formal::Count::optional},
                 {"max", "T", Formal::Count::optional}},
      .outputs = {{"output", "T"}},
      .types = {{"T", types::numbers}}},
     {.since = 13,
      .inputs = {{"input", "T"},
                 {"min", "T", Formal::Count::optional},
                 {"max", "T", Formal::Count::optional}},
      .outputs = {{"output", "T"}},
      .types = {{"T", types::numbers_and_bfloat16}}}}};

void Clip::read(AttributeReader& attributes, int version) {
  low = attributes.number_or_input("min", 1);
  high = attributes.number_or_input("max", 2);
  if (version == 6) {
    if (!low.value) low.value = std::numeric_limits<float>::lowest();
    if (!high.value) high.value = std::numeric_limits<float>::max();
  }
  attributes.ignore("consumed_inputs");
}

void Clip::infer(InferContext& context) const {
  check_single(context, 1, "min");
  check_single(context, 2, "max");
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool

// Versions of Conv, which differ in types only, and checks of its operands.
#include "libcore/ops/nn/conv/conv.hpp"

#include "libcore/ops/nn/conv/window_operands.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema Conv::schema = {
    "Conv",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}, {"W", "T"}, {"B", "T", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"auto_pad", AttributeKind::string, false, "NOTSET"},
                     {"dilations", AttributeKind::integers},
                     {"group", AttributeKind::integer, false, 1},
                     {"kernel_shape", AttributeKind::integers},
                     {"pads", AttributeKind::integers},
                     {"strides", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}},
     {.since = 11,
      .inputs = {{"X", "T"}, {"W", "T"}, {"B", "T", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"auto_pad", AttributeKind::string, false, "NOTSET"},
                     {"dilations", AttributeKind::integers},
                     {"group", AttributeKind::integer, false, 1},
                     {"kernel_shape", AttributeKind::integers},
                     {"pads", AttributeKind::integers},
                     {"strides", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}},
     {.since = 22,
      .inputs = {{"X", "T"}, {"W", "T"}, {"B", "T", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"auto_pad", AttributeKind::string, false, "NOTSET"},
                     {"dilations", AttributeKind::integers},
                     {"group", AttributeKind::integer, false, 1},
                     {"kernel_shape", AttributeKind::integers},
                     {"pads", AttributeKind::integers},
                     {"strides", AttributeKind::integers}},
      .types = {{"T", types::floats}}}}};

void Conv::read(AttributeReader& attributes, int) {
  window.read(attributes);
  groups = read_groups(attributes);
}

void Conv::infer(InferContext& context) const {
  check_vector(context, 2, "B", dimension_at(context, 1, 0));
  context.set_output(0, context.element(0), conv_shape(window, groups, context));
}

std::vector<WindowAxis> Conv::place(const Shape& input, const Shape& weights) const {
  return place_window(window, input.dimensions().subspan(2), weights.dimensions().subspan(2));
}

}  // namespace ortool

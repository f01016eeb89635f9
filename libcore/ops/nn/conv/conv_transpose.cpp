// Versions of ConvTranspose, which differ in types only, and checks of its operands.
#include "libcore/ops/nn/conv/conv_transpose.hpp"

#include "libcore/ops/nn/conv/window_operands.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema ConvTranspose::schema = {
    "ConvTranspose",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}, {"W", "T"}, {"B", "T", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"auto_pad", AttributeKind::string, false, "NOTSET"},
                     {"dilations", AttributeKind::integers},
                     {"group", AttributeKind::integer, false, 1},
                     {"kernel_shape", AttributeKind::integers},
                     {"output_padding", AttributeKind::integers},
                     {"output_shape", AttributeKind::integers},
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
                     {"output_padding", AttributeKind::integers},
                     {"output_shape", AttributeKind::integers},
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
                     {"output_padding", AttributeKind::integers},
                     {"output_shape", AttributeKind::integers},
                     {"pads", AttributeKind::integers},
                     {"strides", AttributeKind::integers}},
      .types = {{"T", types::floats}}}}};

void ConvTranspose::read(AttributeReader& attributes, int) {
  window.read(attributes);
  transposed.read(attributes);
  groups = read_groups(attributes);
}

void ConvTranspose::infer(InferContext& context) const {
  const std::int64_t axes = window_axes(window, context);
  if (axes < 0) return context.set_output(0, context.element(0), std::nullopt);
  const Dimension channels = dimension_at(context, 1, 0);
  check_dimension("the number of channels of 'X'", dimension_at(context, 0, 1), channels);
  if (channels.is_known()) check_divides("the number of channels", channels.number(), groups);
  const Dimension group_maps = dimension_at(context, 1, 1);
  const Dimension maps = group_maps.is_known()
                             ? Dimension(multiply_sizes(group_maps.number(), groups))
                             : group_maps * groups;
  check_vector(context, 2, "B", maps);
  Dimensions output =
      transposed_window_outputs(window, transposed, spatial_dimensions(context, 0, axes),
                                window_kernel(window, context, axes));
  output.insert(output.begin(), {dimension_at(context, 0, 0), maps});
  context.set_output(0, context.element(0), std::move(output));
}

std::vector<WindowAxis> ConvTranspose::place(const Shape& input, const Shape& weights) const {
  return place_transposed_window(window, transposed, input.dimensions().subspan(2),
                                 weights.dimensions().subspan(2));
}

}  // namespace ortool

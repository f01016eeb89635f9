// Versions of DeformConv, and checks of its offsets and mask against the output.
#include "libcore/ops/nn/conv/deform_conv.hpp"

#include <string_view>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/nn/conv/window_operands.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constexpr std::initializer_list<Formal> deform_conv_inputs = {
    {"X", "T"},
    {"W", "T"},
    {"offset", "T"},
    {"B", "T", Formal::Count::optional},
    {"mask", "T", Formal::Count::optional}};

constexpr std::initializer_list<AttributeSpec> deform_conv_attributes = {
    {"dilations", AttributeKind::integers},    {"group", AttributeKind::integer, false, 1},
    {"kernel_shape", AttributeKind::integers}, {"offset_group", AttributeKind::integer, false, 1},
    {"pads", AttributeKind::integers},         {"strides", AttributeKind::integers}};

constinit const OpSchema DeformConv::schema = {"DeformConv",
                                               "",
                                               {{.since = 19,
                                                 .inputs = deform_conv_inputs,
                                                 .outputs = {{"Y", "T"}},
                                                 .attributes = deform_conv_attributes,
                                                 .types = {{"T", types::high_floats}}},
                                                {.since = 22,
                                                 .inputs = deform_conv_inputs,
                                                 .outputs = {{"Y", "T"}},
                                                 .attributes = deform_conv_attributes,
                                                 .types = {{"T", types::floats}}}}};

namespace {

/// Checks 'offset' or 'mask', which hold a number of maps for each kernel position, with the
/// output's spatial size.
void check_window_maps(const InferContext& context, std::int64_t input, std::string_view name,
                       const Dimension& maps, const Dimensions& output) {
  check_rank(context, input, name, static_cast<std::int64_t>(output.size()));
  check_dimension(format("the number of offset maps of '{}'", name),
                  dimension_at(context, input, 1), maps);
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (i == 1) continue;
    check_dimension(format("dimension {} of '{}'", i, name),
                    dimension_at(context, input, static_cast<std::int64_t>(i)), output[i]);
  }
}

}  // namespace

void DeformConv::read(AttributeReader& attributes, int) {
  window.read(attributes);
  groups = read_groups(attributes);
  offset_groups = attributes.integer_in("offset_group", 1, 1, std::int64_t{1} << 31);
}

void DeformConv::infer(InferContext& context) const {
  const std::int64_t axes = window_axes(window, context);
  if (axes < 0) return context.set_output(0, context.element(0), std::nullopt);
  const Dimension maps = dimension_at(context, 1, 0);
  const Dimension channels = dimension_at(context, 0, 1);
  const Dimension group_channels = dimension_at(context, 1, 1);
  check_dimension("the number of channels of 'X'", channels,
                  multiply_dimensions(group_channels, groups));
  if (channels.is_known())
    check_divides("the number of channels", channels.number(), offset_groups);
  if (maps.is_known()) check_divides("the number of output channels", maps.number(), groups);
  check_vector(context, 3, "B", maps);
  const Dimensions kernel = window_kernel(window, context, axes);
  Dimensions output = window_outputs(window, spatial_dimensions(context, 0, axes), kernel);
  output.insert(output.begin(), {dimension_at(context, 0, 0), maps});
  Dimension places = offset_groups;
  for (const Dimension& extent : kernel) places = multiply_dimensions(places, extent);
  check_window_maps(context, 2, "offset", multiply_dimensions(places, axes), output);
  check_window_maps(context, 4, "mask", places, output);
  context.set_output(0, context.element(0), std::move(output));
}

}  // namespace ortool

// Schemas and shapes of MaxpoolWithMask and ConvTransposeWithDynamicPads.
#include "libcore/ops/contrib/legacy/window_functions.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/conv/window_operands.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema MaxpoolWithMask::schema = {
    "MaxpoolWithMask",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"}, {"M", "tensor(int32)"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"auto_pad", AttributeKind::string, false, "NOTSET"},
                     {"kernel_shape", AttributeKind::integers},
                     {"pads", AttributeKind::integers},
                     {"storage_order", AttributeKind::integer, false, 0},
                     {"strides", AttributeKind::integers}},
      .types = {{"T", types::float32_only}}}}};

constinit const OpSchema ConvTransposeWithDynamicPads::schema = {
    "ConvTransposeWithDynamicPads",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"},
                 {"W", "T"},
                 {"Pads", "tensor(int64)", Formal::Count::optional},
                 {"B", "T", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"auto_pad", AttributeKind::string, false, "NOTSET"},
                     {"dilations", AttributeKind::integers},
                     {"group", AttributeKind::integer, false, 1},
                     {"kernel_shape", AttributeKind::integers},
                     {"output_padding", AttributeKind::integers},
                     {"strides", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}}}};

void MaxpoolWithMask::read(AttributeReader& attributes, int) {
  window.read(attributes);
  attributes.ignore("storage_order");
  if (window.kernel.empty())
    throw Error(ErrorCode::invalid, "attribute 'kernel_shape' is missing (expected a window)");
}

void MaxpoolWithMask::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "X", 3);
  const std::int64_t rank = context.rank(0);
  PartialShape shape;
  if (rank >= 0) {
    check_rank(context, 1, "M", rank);
    window.check_axes(rank - 2);
    for (std::int64_t axis = 2; axis < rank; ++axis)
      check_dimension("a spatial dimension of 'M'", dimension_at(context, 1, axis),
                      dimension_at(context, 0, axis));
    const Dimensions kernel(window.kernel.begin(), window.kernel.end());
    shape =
        window_outputs(window, spatial_dimensions(context, 0, rank - 2), kernel, WindowFit::beyond);
    shape->insert(shape->begin(), {dimension_at(context, 0, 0), dimension_at(context, 0, 1)});
  }
  context.set_output(0, context.element(0), std::move(shape));
}

void ConvTransposeWithDynamicPads::infer(InferContext& context) const {
  const std::int64_t axes = window_axes(window, context);
  if (axes < 0) return context.set_output(0, context.element(0), std::nullopt);
  check_dimension("the number of channels of 'X'", dimension_at(context, 0, 1),
                  dimension_at(context, 1, 0));
  const Dimension maps = dimension_at(context, 1, 1) * groups;
  check_vector(context, 3, "B", maps);
  WindowAttributes padded = window;
  std::optional<std::vector<std::int64_t>> pads = context.integers(2);
  Dimensions output(static_cast<std::size_t>(axes));
  if (pads || !context.has_input(2) || window.auto_pad != AutoPad::not_set) {
    if (pads) padded.pads = std::move(*pads);
    padded.check_axes(axes);
    output = transposed_window_outputs(padded, transposed, spatial_dimensions(context, 0, axes),
                                       window_kernel(window, context, axes));
  }
  output.insert(output.begin(), {dimension_at(context, 0, 0), maps});
  context.set_output(0, context.element(0), std::move(output));
}

}  // namespace ortool

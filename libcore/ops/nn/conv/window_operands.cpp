// Determines the number of window axes, and checks images and weights against it.
#include "libcore/ops/nn/conv/window_operands.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

std::int64_t read_groups(AttributeReader& attributes) {
  const std::int64_t groups = attributes.integer("group", 1);
  if (groups < 1 || groups > std::int64_t{1} << 31) {
    throw Error(ErrorCode::invalid, format("group is {} (expected 1 to 2^31)", groups));
  }
  return groups;
}

void check_divides(std::string_view what, std::int64_t count, std::int64_t groups) {
  if (count % groups == 0) return;
  throw Error(ErrorCode::invalid,
              format("{}, {}, is not a multiple of the {} groups", what, count, groups));
}

std::int64_t window_axes(const WindowAttributes& window, const InferContext& context,
                         std::int64_t weights) {
  check_rank_at_least(context, 0, "X", 3);
  const std::int64_t rank = context.rank(0);
  if (!context.has_input(weights)) return rank < 0 ? -1 : rank - 2;
  check_rank_at_least(context, weights, "W", 3);
  if (rank >= 0) check_rank(context, weights, "W", rank);
  const std::int64_t known = rank >= 0 ? rank : context.rank(weights);
  if (known >= 0) return known - 2;
  return window.kernel.empty() ? -1 : static_cast<std::int64_t>(window.kernel.size());
}

Dimensions spatial_dimensions(const InferContext& context, std::int64_t input, std::int64_t axes) {
  Dimensions result;
  for (std::int64_t axis = 0; axis < axes; ++axis)
    result.push_back(dimension_at(context, input, axis + 2));
  return result;
}

Dimensions window_kernel(const WindowAttributes& window, const InferContext& context,
                         std::int64_t axes, std::int64_t weights) {
  window.check_axes(axes);
  Dimensions kernel = spatial_dimensions(context, weights, axes);
  for (std::size_t i = 0; i < window.kernel.size(); ++i) {
    check_dimension(format("the size of 'W' along window axis {}", i), kernel[i], window.kernel[i]);
    kernel[i] = window.kernel[i];
  }
  return kernel;
}

PartialShape conv_shape(const WindowAttributes& window, std::int64_t groups,
                        const InferContext& context, std::int64_t weights) {
  const std::int64_t axes = window_axes(window, context, weights);
  if (axes < 0) return std::nullopt;
  const Dimension maps = dimension_at(context, weights, 0);
  const Dimension group_channels = dimension_at(context, weights, 1);
  if (group_channels.is_known()) {
    check_dimension("the number of channels of 'X'", dimension_at(context, 0, 1),
                    multiply_sizes(group_channels.number(), groups));
  }
  if (maps.is_known()) check_divides("the number of output channels", maps.number(), groups);
  Dimensions output = window_outputs(window, spatial_dimensions(context, 0, axes),
                                     window_kernel(window, context, axes, weights));
  output.insert(output.begin(), {dimension_at(context, 0, 0), maps});
  return output;
}

PartialShape pool_shape(const WindowAttributes& window, const InferContext& context) {
  const std::int64_t axes = window_axes(window, context);
  if (axes < 0) return std::nullopt;
  Dimensions output = window_outputs(window, spatial_dimensions(context, 0, axes),
                                     window_kernel(window, context, axes), WindowFit::beyond);
  output.insert(output.begin(), {dimension_at(context, 0, 0), dimension_at(context, 0, 1)});
  return output;
}

}  // namespace ortool

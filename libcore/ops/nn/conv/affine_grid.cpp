// Schema and shape rule of AffineGrid: two or three coordinates for each output pixel.
#include "libcore/ops/nn/conv/affine_grid.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema AffineGrid::schema = {
    "AffineGrid",
    "",
    {{.since = 20,
      .inputs = {{"theta", "T1"}, {"size", "T2"}},
      .outputs = {{"grid", "T1"}},
      .attributes = {{"align_corners", AttributeKind::integer, false, 0}},
      .types = {{"T1", types::floats}, {"T2", types::int64_only}}}}};

void AffineGrid::read(AttributeReader& attributes, int) {
  align_corners = attributes.flag("align_corners");
}

void AffineGrid::infer(InferContext& context) const {
  check_rank(context, 0, "theta", 3);
  check_rank(context, 1, "size", 1);
  if (const std::optional<std::vector<std::int64_t>> numbers = context.integers(1)) {
    for (const std::int64_t number : *numbers) {
      check_size("'size'", number);
      if (number == 0) throw Error(ErrorCode::invalid, "'size' holds 0 (expected at least 1)");
    }
  }
  const std::optional<Dimensions> size = shape_values(context, 1);
  // N x 2 x 3 for images, N x 3 x 4 for volumes; 'size' also includes N and C.
  Dimension axes = dimension_at(context, 0, 1);
  if (size) axes = merge_dimensions(axes, static_cast<std::int64_t>(size->size()) - 2);
  if (!axes.is_known()) return context.set_output(0, context.element(0), std::nullopt);
  if (axes.number() != 2 && axes.number() != 3) {
    throw Error(ErrorCode::invalid,
                format("the grid would have {} axes (expected 2 or 3)", axes.number()));
  }
  check_dimension("the length of a row of 'theta'", dimension_at(context, 0, 2), axes + 1);
  Dimensions shape(static_cast<std::size_t>(axes.number()) + 2);
  if (size) {
    shape.front() = size->front();
    std::copy(size->begin() + 2, size->end(), shape.begin() + 1);
  }
  shape.front() = merge_dimensions(shape.front(), dimension_at(context, 0, 0));
  shape.back() = axes;
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool

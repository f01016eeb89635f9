// Versions of GridSample; 20 renamed the modes and added volumes.
#include "libcore/ops/nn/conv/grid_sample.hpp"

#include <algorithm>
#include <utility>

#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constexpr std::initializer_list<AttributeSpec> grid_sample_attributes = {
    {"align_corners", AttributeKind::integer, false, 0},
    {"mode", AttributeKind::string, false, "linear"},
    {"padding_mode", AttributeKind::string, false, "zeros"}};

constinit const OpSchema GridSample::schema = {
    "GridSample",
    "",
    {{.since = 16,
      .inputs = {{"X", "T1"}, {"grid", "T2"}},
      .outputs = {{"Y", "T1"}},
      .attributes = {{"align_corners", AttributeKind::integer, false, 0},
                     {"mode", AttributeKind::string, false, "bilinear"},
                     {"padding_mode", AttributeKind::string, false, "zeros"}},
      .types = {{"T1", types::all_tensors}, {"T2", types::high_floats}}},
     {.since = 20,
      .inputs = {{"X", "T1"}, {"grid", "T2"}},
      .outputs = {{"Y", "T1"}},
      .attributes = grid_sample_attributes,
      .types = {{"T1", types::all_tensors}, {"T2", types::high_floats}}},
     {.since = 22,
      .inputs = {{"X", "T1"}, {"grid", "T2"}},
      .outputs = {{"Y", "T1"}},
      .attributes = grid_sample_attributes,
      .types = {{"T1", types::all_tensors_and_bfloat16}, {"T2", types::floats}}}}};

void GridSample::read(AttributeReader& attributes, int version) {
  only_images = version < 20;
  mode = only_images ? attributes.choice("mode", {"bilinear", "nearest", "bicubic"}, Mode::linear)
                     : attributes.choice("mode", {"linear", "nearest", "cubic"}, Mode::linear);
  padding = attributes.choice("padding_mode", {"zeros", "border", "reflection"}, Padding::zeros);
  align_corners = attributes.flag("align_corners");
}

void GridSample::infer(InferContext& context) const {
  if (only_images) check_rank(context, 0, "X", 4);
  check_rank_at_least(context, 0, "X", 3);
  check_rank_at_least(context, 1, "grid", 3);
  const std::int64_t rank = std::max(context.rank(0), context.rank(1));
  if (rank < 0) return context.set_output(0, context.element(0), std::nullopt);
  check_rank(context, 0, "X", rank);
  check_rank(context, 1, "grid", rank);
  check_dimension("the length of a position of 'grid'", dimension_at(context, 1, rank - 1),
                  rank - 2);
  Dimensions shape = {merge_dimensions(dimension_at(context, 0, 0), dimension_at(context, 1, 0)),
                      dimension_at(context, 0, 1)};
  for (std::int64_t axis = 1; axis + 1 < rank; ++axis)
    shape.push_back(dimension_at(context, 1, axis));
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool

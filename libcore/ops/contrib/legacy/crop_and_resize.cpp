// Schema and shape rule of CropAndResize.
#include "libcore/ops/contrib/legacy/crop_and_resize.hpp"

#include <optional>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema CropAndResize::schema = {
    "CropAndResize",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T1"}, {"rois", "T1"}, {"batch_indices", "T2"}, {"crop_size", "T2"}},
      .outputs = {{"Y", "T1"}},
      .attributes = {{"extrapolation_value", AttributeKind::float_number, false, 0.0F},
                     {"mode", AttributeKind::string, false, "bilinear"}},
      .types = {{"T1", types::high_floats}, {"T2", types::int32_only}}}}};

void CropAndResize::read(AttributeReader& attributes, int) {
  takes_nearest = attributes.choice("mode", {"bilinear", "nearest"}, 0) == 1;
  outside = attributes.number("extrapolation_value", 0);
}

void CropAndResize::infer(InferContext& context) const {
  check_rank(context, 0, "X", 4);
  check_rank(context, 1, "rois", 2);
  check_dimension("the length of a region", dimension_at(context, 1, 1), 4);
  check_rank(context, 2, "batch_indices", 1);
  check_vector(context, 3, "crop_size", 2);
  Dimensions size = shape_values(context, 3).value_or(Dimensions(2));
  size.resize(2);
  for (const Dimension& each : size) {
    if (each.is_known() && each.number() < 1)
      throw Error(ErrorCode::invalid,
                  format("a crop's size is {} (expected at least 1)", each.number()));
  }
  const Dimension regions =
      merge_dimensions(dimension_at(context, 1, 0), dimension_at(context, 2, 0));
  context.set_output(0, context.element(0),
                     Dimensions{regions, dimension_at(context, 0, 1), size[0], size[1]});
}

}  // namespace ortool

// Versions of MaxRoiPool and RoiAlign; since 16, RoiAlign shifts by half a pixel.
#include "libcore/ops/nn/pooling/roi_pool.hpp"

#include <algorithm>
#include <vector>

#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constexpr std::initializer_list<AttributeSpec> max_roi_pool_attributes = {
    {"pooled_shape", AttributeKind::integers, true},
    {"spatial_scale", AttributeKind::float_number, false, 1.0F}};

constexpr std::initializer_list<Formal> roi_align_inputs = {
    {"X", "T1"}, {"rois", "T1"}, {"batch_indices", "T2"}};

constexpr std::initializer_list<AttributeSpec> roi_align_attributes = {
    {"coordinate_transformation_mode", AttributeKind::string, false, "half_pixel"},
    {"mode", AttributeKind::string, false, "avg"},
    {"output_height", AttributeKind::integer, false, 1},
    {"output_width", AttributeKind::integer, false, 1},
    {"sampling_ratio", AttributeKind::integer, false, 0},
    {"spatial_scale", AttributeKind::float_number, false, 1.0F}};

constinit const OpSchema MaxRoiPool::schema = {"MaxRoiPool",
                                               "",
                                               {{.since = 1,
                                                 .inputs = {{"X", "T"}, {"rois", "T"}},
                                                 .outputs = {{"Y", "T"}},
                                                 .attributes = max_roi_pool_attributes,
                                                 .types = {{"T", types::high_floats}}},
                                                {.since = 22,
                                                 .inputs = {{"X", "T"}, {"rois", "T"}},
                                                 .outputs = {{"Y", "T"}},
                                                 .attributes = max_roi_pool_attributes,
                                                 .types = {{"T", types::floats}}}}};

constinit const OpSchema RoiAlign::schema = {
    "RoiAlign",
    "",
    {{.since = 10,
      .inputs = roi_align_inputs,
      .outputs = {{"Y", "T1"}},
      .attributes = {{"mode", AttributeKind::string, false, "avg"},
                     {"output_height", AttributeKind::integer, false, 1},
                     {"output_width", AttributeKind::integer, false, 1},
                     {"sampling_ratio", AttributeKind::integer, false, 0},
                     {"spatial_scale", AttributeKind::float_number, false, 1.0F}},
      .types = {{"T1", types::high_floats}, {"T2", types::int64_only}}},
     {.since = 16,
      .inputs = roi_align_inputs,
      .outputs = {{"Y", "T1"}},
      .attributes = roi_align_attributes,
      .types = {{"T1", types::high_floats}, {"T2", types::int64_only}}},
     {.since = 22,
      .inputs = roi_align_inputs,
      .outputs = {{"Y", "T1"}},
      .attributes = roi_align_attributes,
      .types = {{"T1", types::floats}, {"T2", types::int64_only}}}}};

namespace {

constexpr std::int64_t max_roi_extent = std::int64_t{1} << 31;

void set_roi_output(InferContext& context, const Dimension& regions, std::int64_t height,
                    std::int64_t width) {
  check_rank(context, 0, "X", 4);
  context.set_output(0, context.element(0),
                     Dimensions{regions, dimension_at(context, 0, 1), height, width});
}

}  // namespace

void MaxRoiPool::read(AttributeReader& attributes, int) {
  const std::vector<std::int64_t> shape = attributes.find_integers("pooled_shape").value();
  const bool is_good = shape.size() == 2 && std::min(shape[0], shape[1]) >= 1 &&
                       std::max(shape[0], shape[1]) <= max_roi_extent;
  if (!is_good) {
    throw Error(ErrorCode::invalid,
                "attribute 'pooled_shape' does not hold two sizes (expected height and width, 1 to "
                "2^31)");
  }
  height = shape[0];
  width = shape[1];
  spatial_scale = attributes.number("spatial_scale", 1);
}

void MaxRoiPool::infer(InferContext& context) const {
  check_rank(context, 1, "rois", 2);
  check_dimension("the length of a region", dimension_at(context, 1, 1), 5);
  set_roi_output(context, dimension_at(context, 1, 0), height, width);
}

void RoiAlign::read(AttributeReader& attributes, int version) {
  mode = attributes.choice("mode", {"avg", "max"}, Mode::average);
  height = attributes.integer_in("output_height", 1, 1, max_roi_extent);
  width = attributes.integer_in("output_width", 1, 1, max_roi_extent);
  sampling_ratio = attributes.integer_in("sampling_ratio", 0, 0, max_roi_extent);
  spatial_scale = attributes.number("spatial_scale", 1);
  shifts_half_a_pixel =
      attributes.choice("coordinate_transformation_mode", {"output_half_pixel", "half_pixel"},
                        version >= 16 ? 1 : 0) == 1;
}

void RoiAlign::infer(InferContext& context) const {
  check_rank(context, 1, "rois", 2);
  check_rank(context, 2, "batch_indices", 1);
  check_dimension("the length of a region", dimension_at(context, 1, 1), 4);
  set_roi_output(context,
                 merge_dimensions(dimension_at(context, 1, 0), dimension_at(context, 2, 0)), height,
                 width);
}

}  // namespace ortool

// Attributes and shape rules of Resize and Upsample, by scales or sizes.
#include "libcore/ops/tensor/resize.hpp"

#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {

namespace {

constexpr std::int64_t longest_axis = std::int64_t{1} << 43;

/// The output shape while it is computed: each axis may be scaled or set; others keep the input's
/// size.
struct ResizedAxes {
  std::vector<std::int64_t> axes;
  Dimensions shape;

  Dimension& operator[](std::size_t i) { return shape[static_cast<std::size_t>(axes[i])]; }
};

void check_scale(float scale) {
  if (scale > 0 && std::isfinite(scale)) return;
  throw Error(ErrorCode::invalid, format("a scale is {} (expected above 0)", scale));
}

void check_axis_count(std::string_view what, std::size_t found, std::size_t axes) {
  if (found == axes) return;
  throw Error(ErrorCode::invalid, format("'{}' holds {} numbers for {} axes", what, found, axes));
}

/// floor(dimension * scale), computed in float32 as the definition requires.
Dimension scaled(const Dimension& dimension, float scale) {
  if (dimension.is_known()) {
    const float size = std::floor(static_cast<float>(dimension.number()) * scale);
    if (size <= static_cast<float>(longest_axis)) return static_cast<std::int64_t>(size);
    throw Error(ErrorCode::invalid, format("an axis of {} scaled by {} is too long (at most 2^43)",
                                           dimension.number(), scale));
  }
  constexpr int max_parts = 64;
  for (int parts = 1; parts <= max_parts; ++parts) {
    const float times = std::round(scale * static_cast<float>(parts));
    if (times < 1 || times > 0x1p20F || times / static_cast<float>(parts) != scale) continue;
    return floor_divide(dimension * static_cast<std::int64_t>(times), parts);
  }
  return Dimension::unknown_because(format("a size times {}", scale));
}

/// round(dimension * size / of), with halves rounded up.
std::int64_t in_proportion(std::int64_t dimension, std::int64_t size, std::int64_t of) {
  return (multiply_sizes(multiply_sizes(2, dimension), size) + of) / multiply_sizes(2, of);
}

/// Sets each axis so that the aspect ratio is kept; unknown where a number is missing.
void keep_aspect_ratio(ResizedAxes& out, const Dimensions& sizes, bool is_largest) {
  if (sizes.empty()) return;
  std::size_t best = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!sizes[i].is_known() || !out[i].is_known()) {
      for (std::size_t k = 0; k < sizes.size(); ++k) out[k] = Dimension();
      return;
    }
    if (out[i].number() == 0) {
      throw Error(ErrorCode::invalid,
                  format("axis {} is empty, so it has no aspect ratio", out.axes[i]));
    }
    const std::int64_t mine = multiply_sizes(sizes[i].number(), out[best].number());
    const std::int64_t other = multiply_sizes(sizes[best].number(), out[i].number());
    if (is_largest ? mine > other : mine < other) best = i;
  }
  const std::int64_t size = sizes[best].number();
  const std::int64_t of = out[best].number();
  for (std::size_t i = 0; i < sizes.size(); ++i) out[i] = in_proportion(out[i].number(), size, of);
}

bool is_empty_vector(const InferContext& context, std::int64_t input) {
  const PartialShape shape = context.shape(input);
  return shape && shape->size() == 1 && shape->front() == Dimension(0);
}

std::optional<std::vector<float>> known_scales(const InferContext& context,
                                               const ValueOrInput<std::vector<float>>& scales) {
  if (scales.input < 0) return scales.value;
  const Tensor* value = context.input_value(scales.input);
  return value != nullptr ? std::optional(numbers_of(*value)) : std::nullopt;
}

/// Scales computed by shape arithmetic; empty when nothing is known about them.
KnownElements computed_scales(const InferContext& context, std::int64_t input) {
  const std::optional<KnownTensor> known = known_input(context, input);
  return known ? known->elements : KnownElements();
}

/// The same for a scale that may be a ratio of formulas.
Dimension scaled(const Dimension& dimension, const KnownElement& scale) {
  if (scale.is_unknown()) return scale.numerator;
  if (scale.is_number()) {
    const auto factor = static_cast<float>(static_cast<double>(scale.numerator.number()) /
                                           static_cast<double>(scale.denominator));
    check_scale(factor);
    return scaled(dimension, factor);
  }
  return round(Rounding::floor, combine(ElementOp::multiply, dimension, scale, DataType::float32))
      .numerator;
}

/// The rank, as far as inputs, attributes or values determine it.
std::optional<std::size_t> resampled_rank(const InferContext& context, const Resampling& op,
                                          bool by_sizes) {
  if (const PartialShape shape = context.shape(0)) return shape->size();
  if (op.axes) return std::nullopt;
  if (op.scales.value) return op.scales.value->size();
  const Dimension count = dimension_at(context, by_sizes ? op.sizes_input : op.scales.input, 0);
  if (!count.is_known() || count.number() > Shape::max_dimensions) return std::nullopt;
  return static_cast<std::size_t>(count.number());
}

}  // namespace

void Resize::read(AttributeReader& attributes, int version) {
  mode = attributes.choice("mode", {"nearest", "linear", "cubic"}, Mode::nearest);
  if (version < 11) {
    coordinates = Coordinates::asymmetric;
    nearest = Nearest::outward;
    scales.input = 1;
    return;
  }
  coordinates = attributes.choice(
      "coordinate_transformation_mode",
      {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
       "tf_half_pixel_for_nn", "tf_crop_and_resize"},
      Coordinates::half_pixel);
  nearest = attributes.choice("nearest_mode",
                              {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"},
                              Nearest::round_prefer_floor);
  cubic_coeff_a = attributes.number("cubic_coeff_a", -0.75F);
  exclude_outside = attributes.flag("exclude_outside");
  extrapolation_value = attributes.number("extrapolation_value", 0);
  antialias = attributes.flag("antialias");
  aspect_ratio = attributes.choice("keep_aspect_ratio_policy",
                                   {"stretch", "not_larger", "not_smaller"}, AspectRatio::stretch);
  axes = attributes.find_integers("axes");
  const auto given = [&](std::int64_t input) {
    return attributes.node().input(input) != nullptr ? input : -1;
  };
  roi_input = given(1);
  scales.input = given(2);
  sizes_input = given(3);
}

void Upsample::read(AttributeReader& attributes, int version) {
  coordinates = Coordinates::asymmetric;
  nearest = Nearest::floor;
  mode = version < 7 ? attributes.choice("mode", {"nearest", "bilinear"}, Mode::nearest)
                     : attributes.choice("mode", {"nearest", "linear", "cubic"}, Mode::nearest);
  if (version < 7) {
    scales.value = {1, 1, attributes.number("height_scale"), attributes.number("width_scale")};
  } else if (version < 9) {
    scales.value = attributes.find_numbers("scales");
  } else {
    scales.input = 1;
  }
}

void Resampling::infer(InferContext& context) const {
  const bool has_scales = scales.is_given() && !is_empty_vector(context, scales.input);
  const bool has_sizes = sizes_input >= 0 && !is_empty_vector(context, sizes_input);
  const bool may_be_empty =
      !scales.is_known() && !dimension_at(context, scales.input, 0).is_known();
  if (has_scales == has_sizes && !(has_sizes && may_be_empty)) {
    throw Error(ErrorCode::invalid, format("{} of 'scales' and 'sizes' are given (expected one)",
                                           has_sizes ? "both" : "none"));
  }
  const std::optional<std::size_t> rank = resampled_rank(context, *this, has_sizes);
  if (!rank) return context.set_output(0, context.element(0), std::nullopt);
  ResizedAxes out;
  out.shape = context.shape(0).value_or(Dimensions(*rank));
  out.axes.resize(*rank);
  std::iota(out.axes.begin(), out.axes.end(), 0);
  if (axes) out.axes = normalize_axes(*axes, static_cast<std::int64_t>(*rank));
  if (has_sizes) {
    check_rank(context, sizes_input, "sizes", 1);
    const std::optional<Dimensions> sizes = shape_values(context, sizes_input);
    if (const auto numbers = context.integers(sizes_input)) {
      for (const std::int64_t number : *numbers) check_size("'sizes'", number);
    }
    if (sizes) check_axis_count("sizes", sizes->size(), out.axes.size());
    if (sizes && aspect_ratio != AspectRatio::stretch) {
      keep_aspect_ratio(out, *sizes, aspect_ratio == AspectRatio::not_smaller);
    } else {
      for (std::size_t i = 0; i < out.axes.size(); ++i) out[i] = sizes ? (*sizes)[i] : Dimension();
    }
  } else {
    check_rank(context, scales.input, "scales", 1);
    const std::optional<std::vector<float>> factors = known_scales(context, scales);
    const KnownElements computed =
        factors ? KnownElements() : computed_scales(context, scales.input);
    if (factors) check_axis_count("scales", factors->size(), out.axes.size());
    if (!computed.empty()) check_axis_count("scales", computed.size(), out.axes.size());
    for (std::size_t i = 0; i < out.axes.size(); ++i) {
      if (factors) check_scale((*factors)[i]);
      // By the specification, the region of interest would matter here too, but no implementation
      // does so.
      out[i] = factors            ? scaled(out[i], (*factors)[i])
               : computed.empty() ? Dimension()
                                  : scaled(out[i], computed[i]);
    }
  }
  context.set_output(0, context.element(0), std::move(out.shape));
}

}  // namespace ortool

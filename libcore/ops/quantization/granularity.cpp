// Shape checks of scales and zero points against the tensor that they quantize.
#include "libcore/ops/quantization/granularity.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {
namespace {

bool has_size_one(const Dimension& dimension) {
  return dimension.is_known() && dimension.number() == 1;
}

/// Whether the shape may have one element and a rank of at most 1, as far as it is known.
bool may_be_single(const Dimensions& shape) {
  return shape.empty() ||
         (shape.size() == 1 && (!shape.front().is_known() || shape.front().number() == 1));
}

bool may_be(const Dimension& found, const Dimension& expected) {
  return !found.is_known() || !expected.is_known() || found == expected;
}

[[noreturn]] void throw_shape(std::string_view name, const PartialShape& shape,
                              std::string_view expected) {
  throw Error(ErrorCode::invalid,
              format("'{}' has the shape {} (expected {})", name, to_string(shape), expected));
}

void check_blocks(const Dimensions& scales, const Dimensions& data, std::int64_t axis,
                  std::int64_t block_size, std::string_view name) {
  Dimensions expected = data;
  Dimension& blocked = expected[static_cast<std::size_t>(
      normalize_axis(axis, static_cast<std::int64_t>(data.size())))];
  blocked = ceil_divide(blocked, block_size);
  bool fits = scales.size() == expected.size();
  for (std::size_t i = 0; fits && i < scales.size(); ++i) fits = may_be(scales[i], expected[i]);
  if (!fits)
    throw_shape(name, scales, format("{} for blocks of {}", to_string(expected), block_size));
}

}  // namespace

bool is_single(const PartialShape& shape) {
  return shape && (shape->empty() || (shape->size() == 1 && has_size_one(shape->front())));
}

void Granularity::read(AttributeReader& attributes, int version) {
  is_per_tensor = version < 13;
  axis = attributes.integer("axis", 1);
  block_size = attributes.integer("block_size", 0);
  if (block_size < 0) {
    throw Error(ErrorCode::invalid, format("block_size is {} (expected 0 or more)", block_size));
  }
}

void Granularity::check(const InferContext& context, std::string_view scale,
                        std::string_view zero_point) const {
  check_zero_point(context, 1, scale, 2, zero_point);
  const PartialShape scales = context.shape(1);
  const PartialShape data = context.shape(0);
  if (!scales || is_single(scales)) return;
  if (is_per_tensor) return check_single(context, 1, scale);
  if (!data) return;
  if (data->empty()) throw_shape(scale, scales, "a scalar, since the tensor is one");
  if (block_size > 0) return check_blocks(*scales, *data, axis, block_size, scale);
  if (scales->size() != 1) throw_shape(scale, scales, "a scalar or a vector, without block_size");
  // A vector has one axis, whatever the default of the attribute is.
  const std::int64_t rank = context.rank(0);
  const std::int64_t along = rank == 1 ? 0 : normalize_axis(axis, rank);
  const Dimension& size = (*data)[static_cast<std::size_t>(along)];
  if (!may_be(scales->front(), size)) {
    throw_shape(scale, scales,
                format("one element or {}, the size of axis {}", size.number(), along));
  }
}

void check_zero_point(const InferContext& context, std::int64_t scale, std::string_view scale_name,
                      std::int64_t zero_point, std::string_view zero_point_name) {
  const PartialShape scales = context.shape(scale);
  const PartialShape zero_points = context.shape(zero_point);
  if (!scales || !zero_points || (may_be_single(*scales) && may_be_single(*zero_points))) return;
  bool fits = scales->size() == zero_points->size();
  for (std::size_t i = 0; fits && i < scales->size(); ++i)
    fits = may_be((*scales)[i], (*zero_points)[i]);
  if (!fits) {
    throw_shape(zero_point_name, zero_points,
                format("{}, as '{}' has", to_string(scales), scale_name));
  }
}

void check_one_or_vector(const InferContext& context, std::int64_t input, std::string_view name,
                         const Dimension& count) {
  const PartialShape shape = context.shape(input);
  if (!shape || is_single(shape)) return;
  if (shape->size() != 1 || !may_be(shape->front(), count))
    throw_shape(name, shape, format("one element or a vector of {}", count.to_string()));
}

void check_matrix_parameter(const InferContext& context, std::int64_t input, std::string_view name,
                            const PartialShape& matrix, std::int64_t kept) {
  const PartialShape shape = context.shape(input);
  if (!shape || is_single(shape) || !matrix || matrix->empty()) return;
  const std::size_t rank = matrix->size();
  // A vector is a matrix of one row or one column, so the kept axis has size 1.
  const auto distance = static_cast<std::size_t>(-kept);
  const Dimension count = rank == 1 ? Dimension(1) : (*matrix)[rank - distance];
  if (shape->size() == 1) {
    if (may_be(shape->front(), count)) return;
    throw_shape(name, shape, format("one element or {}", count.to_string()));
  }
  bool fits = shape->size() == rank;
  for (std::size_t i = 0; fits && i < rank; ++i) {
    const bool is_other = i + distance != rank && i + 2 >= rank;
    fits = is_other ? may_be((*shape)[i], 1) : may_be((*shape)[i], (*matrix)[i]);
  }
  if (!fits) {
    throw_shape(name, shape,
                format("one element, or one per {} of {}", kept == -2 ? "row" : "column",
                       to_string(matrix)));
  }
}

}  // namespace ortool

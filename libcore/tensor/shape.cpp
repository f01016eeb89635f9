// Overflow-checked arithmetic on dimensions.
#include "libcore/tensor/shape.hpp"

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool {

Shape::Shape(std::initializer_list<std::int64_t> dimensions) {
  take({dimensions.begin(), dimensions.size()});
}

Shape::Shape(const std::vector<std::int64_t>& dimensions) {
  take(dimensions);
}

void Shape::take(std::span<const std::int64_t> dimensions) {
  const auto count = static_cast<std::int64_t>(dimensions.size());
  if (count > max_dimensions)
    throw Error(ErrorCode::invalid,
                format("rank {} is above the limit of {}", count, max_dimensions));
  for (const std::int64_t dimension : dimensions) {
    if (dimension < 0)
      throw Error(ErrorCode::invalid, format("dimension {} is negative", dimension));
  }
  rank_ = count;
  if (count <= most_few) {
    std::copy(dimensions.begin(), dimensions.end(), few_.begin());
  } else {
    many_.assign(dimensions.begin(), dimensions.end());
  }
}

std::int64_t Shape::element_count() const {
  return product(0, rank());
}

std::int64_t Shape::product(std::int64_t first, std::int64_t last) const {
  std::int64_t result = 1;
  for (std::int64_t axis = first; axis < last; ++axis) {
    if ((*this)[axis] == 0) return 0;
  }
  for (std::int64_t axis = first; axis < last; ++axis)
    result = multiply_sizes(result, (*this)[axis]);
  return result;
}

std::string Shape::to_string() const {
  if (rank() == 0) return "scalar";
  std::string text;
  for (const std::int64_t dimension : dimensions()) {
    if (!text.empty()) text += 'x';
    text += std::to_string(dimension);
  }
  return text;
}

std::int64_t multiply_sizes(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t most = std::int64_t{1} << 43;
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || product > most) {
    throw Error(ErrorCode::invalid,
                format("a size of {} x {} elements exceeds the limit of 2^43", a, b),
                "check the shapes; a tensor of this size is not possible");
  }
  return product;
}

std::int64_t normalize_axis(std::int64_t axis, std::int64_t rank) {
  if (axis < -rank || axis >= rank) {
    throw Error(ErrorCode::invalid, rank == 0
                                        ? format("axis {} is given for a scalar", axis)
                                        : format("axis {} is outside rank {} (expected {}..{})",
                                                 axis, rank, -rank, rank - 1));
  }
  return axis < 0 ? axis + rank : axis;
}

}  // namespace ortool

// Searches elements as float32 in one pass, and computes the position of the first one found.
#include "libcore/tensor/not_finite.hpp"

#include <cmath>

#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

std::vector<std::int64_t> position_of(std::int64_t offset, const Shape& shape) {
  std::vector<std::int64_t> position(static_cast<std::size_t>(shape.rank()));
  for (std::int64_t axis = shape.rank() - 1; axis >= 0; --axis) {
    position[static_cast<std::size_t>(axis)] = offset % shape[axis];
    offset /= shape[axis];
  }
  return position;
}

}  // namespace

std::string NonFiniteCount::to_string() const {
  std::string text = std::isnan(first) ? "NaN" : format("{}", first);
  text += " at [";
  for (std::size_t i = 0; i < position.size(); ++i)
    text += format("{}{}", i == 0 ? "" : ", ", position[i]);
  text += "]";
  return count() == 1 ? text : text + format(", the first of {} such elements", count());
}

NonFiniteCount find_not_finite(const Tensor& tensor) {
  NonFiniteCount found;
  if (!is_floating_point(tensor.type())) return found;
  const Tensor floats = convert(tensor, DataType::float32);
  const std::span<const float> numbers = floats.data<float>();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::isfinite(numbers[i])) continue;
    if (found.count() == 0) {
      const auto offset = static_cast<std::int64_t>(i);
      found.first = element_as_double(tensor, offset);
      found.position = position_of(offset, tensor.shape());
    }
    ++(std::isnan(numbers[i]) ? found.nan_count : found.infinity_count);
  }
  return found;
}

}  // namespace ortool

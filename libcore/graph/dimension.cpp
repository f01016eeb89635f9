// Conversions between known and partly known shapes, and their text.
#include "libcore/graph/dimension.hpp"

namespace ortool {

std::string Dimension::to_string() const {
  if (is_known()) return std::to_string(number_);
  return is_symbol() ? symbol_ : "?";
}

PartialShape to_partial(const Shape& shape) {
  return Dimensions(shape.begin(), shape.end());
}

std::optional<Shape> to_known(const PartialShape& shape) {
  if (!shape) return std::nullopt;
  std::vector<std::int64_t> numbers;
  numbers.reserve(shape->size());
  for (const Dimension& dimension : *shape) {
    if (!dimension.is_known()) return std::nullopt;
    numbers.push_back(dimension.number());
  }
  return Shape(std::move(numbers));
}

std::string to_string(const PartialShape& shape) {
  if (!shape) return "unknown rank";
  if (shape->empty()) return "scalar";
  std::string text;
  for (const Dimension& dimension : *shape) {
    if (!text.empty()) text += " x ";
    text += dimension.to_string();
  }
  return text;
}

}  // namespace ortool

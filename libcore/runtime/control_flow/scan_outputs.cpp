// Scan outputs: completes the types of bodies' outputs with defaults.
#include "libcore/runtime/control_flow/scan_outputs.hpp"

#include <algorithm>

namespace ortool {

DataType element_type_of(const Value& output) {
  const bool is_known = output.type().is_tensor() && output.type().element != DataType::undefined;
  return is_known ? output.type().element : DataType::float32;
}

Shape shape_of_nothing(const Value& output, std::int64_t axis) {
  std::vector<std::int64_t> dimensions;
  if (output.type().is_tensor() && output.type().shape) {
    for (const Dimension& dimension : *output.type().shape)
      dimensions.push_back(dimension.is_known() ? dimension.number() : 0);
  }
  const auto rank = static_cast<std::int64_t>(dimensions.size());
  const std::int64_t place = std::clamp<std::int64_t>(axis < 0 ? axis + rank + 1 : axis, 0, rank);
  dimensions.insert(dimensions.begin() + place, 0);
  return Shape(std::move(dimensions));
}

}  // namespace ortool

// Input specification: compares element type and shape with those that a model declares.
#include "libcore/runtime/input_spec.hpp"

#include "libcore/base/format.hpp"

namespace ortool {

bool takes_tensor(const ValueType& type, DataType element, const Shape& shape) {
  using Kind = ValueType::Kind;
  const ValueType& inner = type.kind == Kind::optional && type.inner ? *type.inner : type;
  if (inner.kind != Kind::tensor && inner.kind != Kind::unknown) return false;
  if (inner.element != DataType::undefined && inner.element != element) return false;
  if (!inner.shape || (inner.shape->empty() && shape.element_count() == 1)) return true;
  bool fits = static_cast<std::int64_t>(inner.shape->size()) == shape.rank();
  for (std::size_t i = 0; fits && i < inner.shape->size(); ++i) {
    const Dimension& dimension = (*inner.shape)[i];
    fits = !dimension.is_known() || dimension.number() == shape[static_cast<std::int64_t>(i)];
  }
  return fits;
}

Error input_mismatch(std::string_view name, const std::string& given, const ValueType& type) {
  Error error(ErrorCode::invalid,
              format("input '{}' is given as {} (expected {})", name, given, type.to_string()),
              "convert or reshape the tensor; 'ortool inspect' shows the model's inputs");
  return error.with_id("input.mismatch");
}

}  // namespace ortool

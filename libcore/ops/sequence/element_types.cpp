// Element types of sequences, and the common type of two tensors.
#include "libcore/ops/sequence/element_types.hpp"

#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool {

ValueType element_of_sequence(const InferContext& context, std::int64_t input) {
  const ValueType* type = context.input_type(input);
  if (type == nullptr || type->kind == ValueType::Kind::unknown) return {};
  if (type->kind != ValueType::Kind::sequence) {
    throw Error(ErrorCode::invalid, format("input {} is {} (expected a sequence)", input,
                                           escape_control_characters(type->to_string())));
  }
  return type->inner ? *type->inner : ValueType();
}

ValueType common_type(const ValueType& a, const ValueType& b, std::string_view what) {
  if (!a.is_tensor()) return b.is_tensor() ? ValueType::tensor(b.element) : a;
  if (!b.is_tensor()) return ValueType::tensor(a.element);
  if (a.element != DataType::undefined && b.element != DataType::undefined &&
      a.element != b.element) {
    throw Error(ErrorCode::invalid, format("{} is {}, but another is {} (expected the same type)",
                                           what, name_of(b.element), name_of(a.element)))
        .with_id("node.type");
  }
  PartialShape shape;
  if (a.shape && b.shape && a.shape->size() == b.shape->size()) {
    shape = a.shape;
    for (std::size_t i = 0; i < shape->size(); ++i) {
      if ((*a.shape)[i] != (*b.shape)[i]) (*shape)[i] = Dimension();
    }
  }
  return ValueType::tensor(a.element != DataType::undefined ? a.element : b.element,
                           std::move(shape));
}

}  // namespace ortool

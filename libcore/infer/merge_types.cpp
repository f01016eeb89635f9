// The inferred type wins; a declared symbol for an unknown dimension keeps its cause.
#include "libcore/infer/merge_types.hpp"

#include <memory>
#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool {
namespace {

MergedType merge_inner(std::string_view name, const ValueType& declared, ValueType inferred) {
  if (inferred.inner == nullptr) inferred.inner = declared.inner;
  if (declared.inner == nullptr || inferred.inner == declared.inner) return {std::move(inferred)};
  MergedType inner = merge_types(name, *declared.inner, *inferred.inner);
  inferred.inner = std::make_shared<const ValueType>(std::move(inner.type));
  return {std::move(inferred), inner.contradicts};
}

bool contradicts(const Dimensions& declared, const Dimensions& inferred) {
  if (declared.size() != inferred.size()) return true;
  for (std::size_t i = 0; i < inferred.size(); ++i) {
    if (inferred[i].is_known() && declared[i].is_known() && inferred[i] != declared[i]) return true;
  }
  return false;
}

}  // namespace

bool is_shaped(const ValueType& type) {
  return type.is_tensor() || type.kind == ValueType::Kind::sparse_tensor;
}

MergedType merge_types(std::string_view name, const ValueType& declared, ValueType inferred) {
  if (declared.kind == ValueType::Kind::unknown) return {std::move(inferred)};
  if (inferred.kind == ValueType::Kind::unknown) {
    ValueType result = declared;
    result.rank_cause = inferred.rank_cause;
    return {std::move(result)};
  }
  if (inferred.kind != declared.kind) return {std::move(inferred), true};
  inferred.denotation = declared.denotation;
  if (!is_shaped(inferred)) return merge_inner(name, declared, std::move(inferred));
  if (inferred.element == DataType::undefined) inferred.element = declared.element;
  if (declared.element != DataType::undefined && declared.element != inferred.element) {
    throw Error(ErrorCode::invalid,
                format("the file declares output '{}' as {}, but the operator produces {}", name,
                       name_of(declared.element), name_of(inferred.element)))
        .with_id("value.type");
  }
  if (!declared.shape) return {std::move(inferred)};
  if (!inferred.shape) {
    inferred.shape = declared.shape;
    for (Dimension& dimension : *inferred.shape) dimension = dimension.because(inferred.rank_cause);
    return {std::move(inferred)};
  }
  if (contradicts(*declared.shape, *inferred.shape)) return {std::move(inferred), true};
  for (std::size_t i = 0; i < inferred.shape->size(); ++i) {
    Dimension& mine = (*inferred.shape)[i];
    if (mine.is_unknown()) mine = (*declared.shape)[i].because(mine);
  }
  return {std::move(inferred)};
}

}  // namespace ortool

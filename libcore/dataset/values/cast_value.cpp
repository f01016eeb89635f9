// Cast of input values: what is converted, and which elements change.
#include "libcore/dataset/values/cast_value.hpp"

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Elements that integers or booleans cannot hold; rounding to other floats is what was asked for.
std::string changes_of(std::string_view name, const Tensor& from, const Tensor& to) {
  if (is_floating_point(to.type())) return {};
  std::int64_t count = 0;
  std::int64_t first = -1;
  for (std::int64_t i = 0; i < from.element_count(); ++i) {
    if (element_as_double(from, i) == element_as_double(to, i)) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return {};
  return format("cast to {} changes {} of {} elements of input {} (first: {} to {})",
                name_of(to.type()), count, from.element_count(), quote(name),
                element_text(from, first), element_text(to, first));
}

}  // namespace

std::string cast_value(std::string_view name, const ValueType& type, RunValue& value,
                       MemoryCap& cap) {
  const bool is_optional = type.kind == ValueType::Kind::optional && type.inner != nullptr;
  const ValueType& content = is_optional ? *type.inner : type;
  if (!value.is_tensor() || !content.is_tensor() || !is_arithmetic(value.tensor().type()) ||
      !is_arithmetic(content.element) || value.tensor().type() == content.element)
    return {};
  Tensor converted = convert(value.tensor(), content.element, {}, &cap);
  std::string changes = changes_of(name, value.tensor(), converted);
  value = std::move(converted);
  return changes;
}

}  // namespace ortool

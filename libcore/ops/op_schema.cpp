// Lookup of versions, formal parameters and attributes in an operator schema.
#include "libcore/ops/op_schema.hpp"

namespace ortool {

std::int64_t OpVersion::fewest(std::initializer_list<Formal> formals) const {
  std::int64_t count = 0;
  std::int64_t position = 0;
  for (const Formal& formal : formals) {
    ++position;
    if (formal.count == Formal::Count::single) count = position;
    if (formal.count == Formal::Count::variadic && formal.least > 0)
      count = position - 1 + formal.least;
  }
  return count;
}

std::int64_t OpVersion::most(std::initializer_list<Formal> formals) const {
  for (const Formal& formal : formals) {
    if (formal.count == Formal::Count::variadic) return std::int64_t{1} << 31;
  }
  return static_cast<std::int64_t>(formals.size());
}

const Formal* OpVersion::formal_at(std::initializer_list<Formal> formals, std::int64_t position) {
  std::int64_t index = 0;
  for (const Formal& formal : formals) {
    if (index == position || formal.count == Formal::Count::variadic) return &formal;
    ++index;
  }
  return nullptr;
}

const AttributeSpec* OpVersion::find_attribute(std::string_view name) const {
  for (const AttributeSpec& attribute : attributes) {
    if (name == attribute.name) return &attribute;
  }
  return nullptr;
}

TypeSet OpVersion::allowed(std::string_view type) const {
  for (const TypeParameter& parameter : types) {
    if (type == parameter.name) return parameter.allowed;
  }
  constexpr std::string_view opening = "tensor(";
  if (!type.starts_with(opening) || !type.ends_with(')')) return {};
  type.remove_prefix(opening.size());
  type.remove_suffix(1);
  const std::optional<DataType> element = data_type_from_name(type);
  return element ? types_of({*element}) : TypeSet();
}

namespace {

const OpVersion* newest_at(std::initializer_list<OpVersion> versions, std::int64_t opset) {
  const OpVersion* found = nullptr;
  for (const OpVersion& version : versions) {
    if (version.since <= opset) found = &version;
  }
  return found;
}

}  // namespace

const OpVersion* OpSchema::at(std::int64_t opset) const {
  return newest_at(versions, opset);
}

const OpVersion* OpSchema::accepted_at(std::int64_t opset) const {
  // ONNX Runtime takes the newest version of a domain that the model does not import.
  if (opset == 0 && *domain != '\0' && versions.size() > 0) return versions.end() - 1;
  const OpVersion* found = at(opset);
  return found != nullptr ? found : newest_at(early, opset);
}

bool OpSchema::is_early_at(std::int64_t opset) const {
  return at(opset) == nullptr && accepted_at(opset) != nullptr;
}

}  // namespace ortool

// Comparison of attributes with the default values of their schemas.
#include "libcore/ops/attribute_default.hpp"

#include <algorithm>

#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

template <typename Value, typename Default>
bool is_same_list(const std::vector<Value>& values, std::initializer_list<Default> defaults) {
  return std::equal(values.begin(), values.end(), defaults.begin(), defaults.end());
}

}  // namespace

bool has_default_value(const Node& node, const Attribute& attribute) {
  const OpEntry* entry = find_op(node.domain(), node.op_type());
  const OpVersion* version = entry != nullptr ? version_of(*entry, node) : nullptr;
  const AttributeSpec* spec =
      version != nullptr ? version->find_attribute(attribute.name) : nullptr;
  if (spec == nullptr || !attribute.reference.empty()) return false;
  const AttributeDefault& wanted = spec->default_value;
  if (wanted.kind == AttributeKind::undefined || wanted.kind != attribute.kind()) return false;
  switch (wanted.kind) {
    case AttributeKind::integer:
      return std::get<std::int64_t>(attribute.value) == wanted.integer;
    case AttributeKind::float_number:
      return std::get<float>(attribute.value) == wanted.number;
    case AttributeKind::string:
      return std::get<std::string>(attribute.value) == wanted.string;
    case AttributeKind::integers:
      return is_same_list(std::get<std::vector<std::int64_t>>(attribute.value), wanted.integers);
    case AttributeKind::floats:
      return is_same_list(std::get<std::vector<float>>(attribute.value), wanted.numbers);
    case AttributeKind::strings:
      return is_same_list(std::get<std::vector<std::string>>(attribute.value), wanted.strings);
    default:
      return false;
  }
}

}  // namespace ortool

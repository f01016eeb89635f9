// Value info of the C interface: kinds, shapes and symbols from the types of a graph.
#include "apps/c/value_info_list.hpp"

namespace ortool::c {
namespace {

ortool_kind kind_of(const ValueType& type) {
  switch (type.kind) {
    case ValueType::Kind::tensor:
      return ORTOOL_TENSOR;
    case ValueType::Kind::sequence:
      return ORTOOL_SEQUENCE;
    case ValueType::Kind::map:
      return ORTOOL_MAP;
    default:
      return ORTOOL_NONE;
  }
}

}  // namespace

ValueInfoList::ValueInfoList(std::span<Value* const> values) {
  for (const Value* value : values) {
    Entry& entry = entries_.emplace_back();
    const bool is_optional = value->type().kind == ValueType::Kind::optional;
    const ValueType& type =
        is_optional && value->type().inner ? *value->type().inner : value->type();
    entry.name = value->name();
    entry.type_text = value->type().to_string();
    if (type.is_tensor() && type.shape) {
      for (const Dimension& dimension : *type.shape) {
        entry.shape.push_back(dimension.number());
        entry.symbols.push_back(dimension.is_known() ? "" : dimension.to_string());
      }
    }
    for (const std::string& symbol : entry.symbols) entry.symbol_texts.push_back(symbol.c_str());
    entry.info = {
        .name = entry.name.c_str(),
        .type_text = entry.type_text.c_str(),
        .kind = kind_of(type),
        .type = static_cast<ortool_type>(type.element),
        .is_optional = is_optional ? 1 : 0,
        .rank = type.is_tensor() && type.shape ? static_cast<std::int32_t>(entry.shape.size()) : -1,
        .shape = entry.shape.data(),
        .symbols = entry.symbol_texts.data()};
    pointers_.push_back(&entry.info);
  }
}

}  // namespace ortool::c

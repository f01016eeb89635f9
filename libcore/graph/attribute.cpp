// Attribute kinds and their names.
#include "libcore/graph/attribute.hpp"

#include <array>

#include "libcore/graph/graph.hpp"

namespace ortool {

std::string_view name_of(AttributeKind kind) {
  static constexpr std::array<std::string_view, 15> names = {
      "undefined",      "float",      "int",        "string",  "tensor", "graph",
      "floats",         "ints",       "strings",    "tensors", "graphs", "sparse_tensor",
      "sparse_tensors", "type_proto", "type_protos"};
  return names[static_cast<std::size_t>(kind)];
}

AttributeKind Attribute::kind() const {
  static constexpr std::array<AttributeKind, 15> kinds = {
      AttributeKind::undefined,      AttributeKind::float_number, AttributeKind::integer,
      AttributeKind::string,         AttributeKind::tensor,       AttributeKind::graph,
      AttributeKind::floats,         AttributeKind::integers,     AttributeKind::strings,
      AttributeKind::tensors,        AttributeKind::graphs,       AttributeKind::sparse_tensor,
      AttributeKind::sparse_tensors, AttributeKind::type,         AttributeKind::types};
  return reference.empty() ? kinds[value.index()] : reference_kind;
}

}  // namespace ortool

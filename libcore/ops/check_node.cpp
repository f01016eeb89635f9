// Schema validation of nodes, which each node must pass before any other code reads it.
#include "libcore/ops/check_node.hpp"

#include "libcore/base/build_profile.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

std::string range_text(std::int64_t fewest, std::int64_t most) {
  if (fewest == most) return format("{}", fewest);
  return most >= (std::int64_t{1} << 31) ? format("at least {}", fewest)
                                         : format("{} to {}", fewest, most);
}

void check_count(std::string_view what, std::int64_t found, std::int64_t fewest,
                 std::int64_t most) {
  if (found >= fewest && found <= most) return;
  throw Error(ErrorCode::invalid,
              format("has {} {} (expected {})", found, what, range_text(fewest, most)),
              "the file is damaged, or was written by a faulty exporter; export the model again")
      .with_id("node.arity");
}

void check_inputs(const Node& node, const OpVersion& version) {
  const std::int64_t fewest = version.fewest(version.inputs);
  check_count("inputs", node.input_count(), fewest, version.most(version.inputs));
  for (std::int64_t i = 0; i < fewest; ++i) {
    const Formal* formal = OpVersion::formal_at(version.inputs, i);
    if (node.input(i) != nullptr || formal->count != Formal::Count::single) continue;
    throw Error(ErrorCode::invalid,
                format("input {} ('{}') is left out, but is required", i, formal->name))
        .with_id("node.arity");
  }
}

/// How messages print a type: the element type of a tensor, or the complete type of anything else.
std::string type_text(const ValueType& type) {
  return type.is_tensor() ? std::string(name_of(type.element))
                          : escape_control_characters(type.to_string());
}

/// Whether two types conflict in their known parts. Shapes are ignored.
bool are_different(const ValueType& a, const ValueType& b) {
  const ValueType* mine = &a;
  const ValueType* other = &b;
  while (mine != nullptr && other != nullptr) {
    using Kind = ValueType::Kind;
    if (mine->kind == Kind::unknown || other->kind == Kind::unknown) return false;
    if (mine->kind != other->kind) return true;
    const bool are_known =
        mine->element != DataType::undefined && other->element != DataType::undefined;
    if (are_known && mine->element != other->element) return true;
    mine = mine->inner.get();
    other = other->inner.get();
  }
  return false;
}

void check_input_type(const OpVersion& version, const Formal& formal, std::int64_t index,
                      const ValueType& type) {
  if (version.allowed(formal.type).may_contain(type)) return;
  throw Error(ErrorCode::invalid,
              format("input {} ('{}') is {}, which version {} of the operator does not accept",
                     index, formal.name, type_text(type), version.since))
      .with_id("node.type");
}

/// Checks that all inputs bound to one type parameter have the same type, except where a variadic
/// input is heterogeneous.
void check_same_types(const Node& node, const OpVersion& version) {
  for (const TypeParameter& parameter : version.types) {
    std::int64_t first = -1;
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      const Formal* formal = OpVersion::formal_at(version.inputs, i);
      if (node.input(i) == nullptr || !formal->is_homogeneous ||
          std::string_view(formal->type) != parameter.name) {
        continue;
      }
      const ValueType& type = node.input(i)->type();
      if (type.kind == ValueType::Kind::unknown) continue;
      if (type.is_tensor() && type.element == DataType::undefined) continue;
      if (first < 0) first = i;
      const ValueType& wanted = node.input(first)->type();
      if (!are_different(type, wanted)) continue;
      throw Error(ErrorCode::invalid,
                  format("input {} is {}, but another is {} (expected the same type)", i,
                         type_text(type), type_text(wanted)))
          .with_id("node.type");
    }
  }
}

void check_types(const Node& node, const OpVersion& version) {
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    if (node.input(i) == nullptr) continue;
    check_input_type(version, *OpVersion::formal_at(version.inputs, i), i, node.input(i)->type());
  }
  check_same_types(node, version);
}

void check_attributes(const Node& node, const OpVersion& version) {
  for (const Attribute& attribute : node.attributes()) {
    const AttributeSpec* spec = version.find_attribute(attribute.name);
    if (spec == nullptr && version.takes_any_attribute) continue;
    if (spec == nullptr) {
      throw Error(ErrorCode::invalid,
                  format("attribute '{}' does not exist in version {} of the operator",
                         attribute.name, version.since),
                  "the model's opset does not match its nodes; export it again")
          .with_id("node.attribute.unknown");
    }
    if (spec->kind != attribute.kind()) {
      throw Error(ErrorCode::invalid,
                  format("attribute '{}' is of kind {} (expected {})", attribute.name,
                         name_of(attribute.kind()), name_of(spec->kind)))
          .with_id("node.attribute.kind");
    }
  }
  for (const AttributeSpec& spec : version.attributes) {
    if (spec.is_required && node.find_attribute(spec.name) == nullptr) {
      throw Error(ErrorCode::invalid,
                  format("attribute '{}' is missing, but is required", spec.name))
          .with_id("node.attribute.missing");
    }
  }
}

void check_against(const Node& node, const OpVersion& version) {
  check_inputs(node, version);
  check_types(node, version);
  check_count("outputs", node.output_count(), version.fewest(version.outputs),
              version.most(version.outputs));
  check_attributes(node, version);
}

}  // namespace

bool fits_version(const Node& node, const OpVersion& version) {
  try {
    check_against(node, version);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void check_node(const Node& node) {
  try {
    const OpEntry* entry = find_op(node.domain(), node.op_type());
    const OpVersion* version = entry != nullptr ? version_of(*entry, node) : nullptr;
    if (version == nullptr) {
      throw Error(ErrorCode::unsupported,
                  format("operator {}{}{} is unknown at opset {}", node.domain(),
                         node.domain().empty() ? "" : ".", node.op_type(), node.opset()),
                  is_minimal_build() ? std::string(minimal_build_hint) : std::string())
          .with_id("node.operator.unknown");
    }
    check_against(node, *version);
    entry->check(node, *version);
  } catch (Error& error) {
    throw error.at_node(node.name(), node.op_type());
  }
}

}  // namespace ortool

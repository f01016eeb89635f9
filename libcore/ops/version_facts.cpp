// Queries on an operator's version history: each walks through its schema, oldest version first.
#include "libcore/ops/version_facts.hpp"

#include "libcore/base/error.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

template <typename Test>
std::int64_t first_opset(std::string_view op_type, Test test) {
  const OpEntry* entry = find_op("", op_type);
  ORTOOL_CHECK(entry != nullptr);
  for (const OpVersion& version : entry->schema->versions) {
    if (test(version)) return version.since;
  }
  ORTOOL_CHECK(false && "no such version of the operator exists");
}

const Formal* find_input(const OpVersion& version, std::string_view name) {
  for (const Formal& formal : version.inputs) {
    if (name == formal.name) return &formal;
  }
  return nullptr;
}

}  // namespace

std::int64_t opset_of(std::string_view op_type) {
  return first_opset(op_type, [](const OpVersion&) { return true; });
}

std::int64_t opset_of_attribute(std::string_view op_type, std::string_view attribute) {
  return first_opset(op_type, [&](const OpVersion& version) {
    return version.find_attribute(attribute) != nullptr;
  });
}

std::int64_t opset_without_attribute(std::string_view op_type, std::string_view attribute) {
  bool had_it = false;
  return first_opset(op_type, [&](const OpVersion& version) {
    const bool has_it = version.find_attribute(attribute) != nullptr;
    had_it = had_it || has_it;
    return had_it && !has_it;
  });
}

std::int64_t opset_of_input(std::string_view op_type, std::string_view input) {
  return first_opset(
      op_type, [&](const OpVersion& version) { return find_input(version, input) != nullptr; });
}

std::int64_t opset_of_optional_input(std::string_view op_type, std::string_view input) {
  return first_opset(op_type, [&](const OpVersion& version) {
    const Formal* formal = find_input(version, input);
    return formal != nullptr && formal->count == Formal::Count::optional;
  });
}

std::int64_t opset_of_type(std::string_view op_type, std::string_view input, DataType type) {
  return first_opset(op_type, [&](const OpVersion& version) {
    const Formal* formal = find_input(version, input);
    return formal != nullptr && version.allowed(formal->type).contains(type);
  });
}

std::int64_t opset_of_broadcasting() {
  return opset_without_attribute("Add", "broadcast");
}

}  // namespace ortool

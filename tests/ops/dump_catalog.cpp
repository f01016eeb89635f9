// Prints the catalog as JSON in ONNX's terms, for comparison with another list of operators; with
// --names the names alone, with --rejected the operators that are rejected by name, with reasons.
#include <cstdio>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/foreign_operators.hpp"

namespace {

using nlohmann::json;
using ortool::AttributeDefault;
using ortool::AttributeKind;
using ortool::DataType;
using ortool::Formal;
using ortool::TypeSet;

struct FormText {
  TypeSet::Container container;
  std::string_view before;
  std::string_view after;
};

constexpr FormText form_texts[] = {
    {TypeSet::Container::tensor, "tensor(", ")"},
    {TypeSet::Container::sequence, "seq(tensor(", "))"},
    {TypeSet::Container::optional, "optional(tensor(", "))"},
    {TypeSet::Container::optional_sequence, "optional(seq(tensor(", ")))"},
    {TypeSet::Container::map_of_int64, "map(int64, ", ")"},
    {TypeSet::Container::map_of_string, "map(string, ", ")"},
    {TypeSet::Container::sequence_of_map_of_int64, "seq(map(int64, ", "))"},
    {TypeSet::Container::sequence_of_map_of_string, "seq(map(string, ", "))"},
};
static_assert(std::size(form_texts) == TypeSet::container_count);

json describe(const TypeSet& set) {
  json names = json::array();
  for (const FormText& text : form_texts) {
    for (std::int32_t number = 1; number < ortool::data_type_count; ++number) {
      const auto type = static_cast<DataType>(number);
      if (!set.contains(text.container, type)) continue;
      names.push_back(std::string(text.before) + std::string(onnx_name_of(type)) +
                      std::string(text.after));
    }
  }
  return names;
}

json describe(std::initializer_list<Formal> formals) {
  json result = json::array();
  for (const Formal& formal : formals) {
    json row = {{"name", formal.name}, {"type", formal.type}};
    row["count"] = formal.count == Formal::Count::single     ? "single"
                   : formal.count == Formal::Count::optional ? "optional"
                                                             : "variadic";
    if (formal.count == Formal::Count::variadic) {
      row["least"] = formal.least;
      row["is_homogeneous"] = formal.is_homogeneous;
    }
    result.push_back(std::move(row));
  }
  return result;
}

json describe(const AttributeDefault& value) {
  switch (value.kind) {
    case AttributeKind::integer:
      return value.integer;
    case AttributeKind::float_number:
      return value.number;
    case AttributeKind::string:
      return value.string;
    case AttributeKind::integers:
      return value.integers;
    case AttributeKind::floats:
      return value.numbers;
    case AttributeKind::strings:
      return value.strings;
    default:
      return nullptr;
  }
}

json describe(const ortool::OpSchema& schema, const ortool::OpVersion& version) {
  json attributes = json::object();
  for (const ortool::AttributeSpec& spec : version.attributes) {
    json row = {{"kind", name_of(spec.kind)},
                {"is_required", spec.is_required},
                {"default", describe(spec.default_value)}};
    if (spec.default_value.kind != AttributeKind::undefined &&
        spec.default_value.kind != spec.kind) {
      row["default_kind"] = name_of(spec.default_value.kind);
    }
    if (attributes.contains(spec.name)) row["is_twice"] = true;
    attributes[spec.name] = std::move(row);
  }
  json types = json::object();
  for (const ortool::TypeParameter& parameter : version.types)
    types[parameter.name] = describe(parameter.allowed);
  return {{"domain", schema.domain},
          {"name", schema.name},
          {"since", version.since},
          {"is_deprecated", version.is_deprecated},
          {"inputs", describe(version.inputs)},
          {"outputs", describe(version.outputs)},
          {"attributes", std::move(attributes)},
          {"types", std::move(types)}};
}

void print_rejected() {
  json rows = json::array();
  for (const ortool::ForeignOperator& each : ortool::foreign_operators()) {
    rows.push_back({{"domain", each.domain},
                    {"name", each.name},
                    {"reason", each.reason},
                    {"advice", each.advice}});
  }
  std::printf("%s\n", rows.dump(1).c_str());
}

/// Also of operators that only have early forms.
void print_names() {
  json rows = json::array();
  for (const ortool::OpEntry& entry : ortool::catalog())
    rows.push_back({{"domain", entry.schema->domain}, {"name", entry.schema->name}});
  std::printf("%s\n", rows.dump(1).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view option = argc == 2 ? argv[1] : "";
  if (option == "--rejected" || option == "--names") {
    option == "--names" ? print_names() : print_rejected();
    return 0;
  }
  json rows = json::array();
  for (const ortool::OpEntry& entry : ortool::catalog()) {
    if (ortool::find_op(entry.schema->domain, entry.schema->name) != &entry) {
      std::fprintf(stderr, "%s.%s is listed twice\n", entry.schema->domain, entry.schema->name);
      return 1;
    }
    for (const ortool::OpVersion& version : entry.schema->versions)
      rows.push_back(describe(*entry.schema, version));
  }
  std::printf("%s\n", rows.dump(1).c_str());
  return 0;
}

// ortool schema: JSON Schemas of the commands' documents.
#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/embedded_documents.hpp"
#include "libcore/base/error.hpp"
#include "libcore/json/json.hpp"

namespace ortool {
namespace {

std::vector<std::string> schema_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& schema : embedded_schemas()) names.emplace_back(schema.name);
  return names;
}

Json read_schema(std::string_view name) {
  for (const EmbeddedFile& schema : embedded_schemas()) {
    if (schema.name == name) return parse_json(schema.text, name);
  }
  throw Error(ErrorCode::invalid, "no such schema");
}

class SchemaCommand : public Command {
 public:
  std::string_view name() const override { return "schema"; }
  std::string_view summary() const override {
    return "print the JSON Schema of a command's documents";
  }
  std::vector<Example> examples() const override {
    return {{"ortool schema run", "JSON Schema of what `ortool run --json` prints"},
            {"ortool schema manifest", "format of a MANIFEST.json of samples"},
            {"ortool schema quantize-plan", "format of a plan of `ortool quantize`"},
            {"ortool schema device", "format of a device for `ortool bench --estimate`"}};
  }
  std::vector<ArgumentSpec> arguments() const override {
    return {{"COMMAND", "name of the schema; `envelope` is what all have in common", true,
             schema_names()}};
  }
  std::vector<OptionGroup> options() const override { return {}; }

  void run(Invocation& invocation) const override {
    const std::string& name = invocation.arguments.front();
    Json schema = read_schema(name);
    // Referenced schemas are embedded under their own $id, so one file is enough for validation.
    if (name != "envelope" && name != "manifest" && name != "quantize-plan" &&
        name != "device") {
      Json inside = Json::object().set("envelope", read_schema("envelope"));
      if (name == "inspect-lines") inside.set("inspect", read_schema("inspect"));
      if (name == "merge") {
        for (const char* command : {"run", "quantize", "bench"})
          inside.set(command, read_schema(command));
      }
      schema.set("$defs", std::move(inside));
    }
    invocation.report.text = schema.write();
    invocation.report.payload.set("schema", std::move(schema));
  }
};

}  // namespace

std::unique_ptr<const Command> make_schema_command() {
  return std::make_unique<SchemaCommand>();
}

}  // namespace ortool

// ortool providers: available execution providers and kernels, and why others are unavailable.
#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "providers/provider_list.hpp"

namespace ortool {
namespace {

void add_kernels(Report& report) {
  Json list = Json::list();
  TextTable table;
  table.add_row({"provider", "operator", "kernel", "instructions", "types"});
  for (const ProviderEntry& entry : provider_list()) {
    if (entry.make == nullptr) continue;
    for (const KernelDescription& kernel : entry.make({})->kernels()) {
      std::string op_type(kernel.domain);
      op_type.append(kernel.domain.empty() ? "" : ".").append(kernel.op_type);
      table.add_row({std::string(entry.name), op_type, std::string(kernel.name),
                     std::string(kernel.isa), std::string(kernel.types)});
      list.add(Json::object()
                   .set("provider", entry.name)
                   .set("name", kernel.name)
                   .set("domain", kernel.domain)
                   .set("op_type", kernel.op_type)
                   .set("isa", kernel.isa)
                   .set("types", kernel.types));
    }
  }
  report.payload.set("kernels", std::move(list));
  report.text += "\n" + table.to_string();
}

class ProvidersCommand : public Command {
 public:
  std::string_view name() const override { return "providers"; }
  std::string_view summary() const override {
    return "list the providers available on this machine";
  }
  std::vector<Example> examples() const override {
    return {{"ortool providers", "the providers, and why some are not available"},
            {"ortool providers --kernels", "every kernel, preferred ones first"}};
  }
  std::vector<ArgumentSpec> arguments() const override { return {}; }
  std::vector<OptionGroup> options() const override {
    return {{"What to list", {{.name = "kernels", .help = "list the kernels as well"}}}};
  }

  void run(Invocation& invocation) const override {
    Report& report = invocation.report;
    const Json providers = providers_block();
    TextTable table;
    table.add_row({"provider", "version", "available"});
    for (const Json& provider : providers.items()) {
      const Json* version = provider.find("version");
      const Json* reason = provider.find("reason");
      table.add_row({provider.find("name")->text(), version->is_null() ? "-" : version->text(),
                     reason->is_null() ? "yes" : "no: " + reason->text()});
    }
    report.text = table.to_string();
    report.payload.set("providers", providers);
    if (invocation.options.flag("kernels")) add_kernels(report);
  }
};

}  // namespace

std::unique_ptr<const Command> make_providers_command() {
  return std::make_unique<ProvidersCommand>();
}

}  // namespace ortool

// Commands to come: listed in help, refused in one line.
#include "apps/ortool/commands/commands.hpp"
#include "libcore/base/error.hpp"

namespace ortool {
namespace {

class PlannedCommand : public Command {
 public:
  PlannedCommand(std::string_view name, std::string_view summary)
      : name_(name), summary_(summary) {}

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  std::vector<Example> examples() const override { return {}; }
  std::vector<ArgumentSpec> arguments() const override { return {}; }
  std::vector<OptionGroup> options() const override { return {}; }
  bool is_planned() const override { return true; }
  void run(Invocation&) const override { ORTOOL_CHECK(!is_planned()); }

 private:
  std::string_view name_;
  std::string_view summary_;
};

}  // namespace

std::unique_ptr<const Command> make_planned_command(std::string_view name,
                                                    std::string_view summary) {
  return std::make_unique<PlannedCommand>(name, summary);
}

}  // namespace ortool

// Checks of a command's arguments, with hints for what a word too many was meant for.
#include "apps/ortool/check_arguments.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "apps/ortool/options/early_checks.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/unknown_name.hpp"

namespace ortool {
namespace {

/// Whether an argument too many seems to be the file of -o.
bool is_output(const Command& command, std::string_view argument) {
  const std::vector<OptionGroup> groups = all_options(command);
  return argument.ends_with(".onnx") &&
         std::any_of(groups.begin(), groups.end(), [](const OptionGroup& group) {
           return std::any_of(group.options.begin(), group.options.end(),
                              [](const OptionSpec& option) { return option.name == "output"; });
         });
}

}  // namespace

Error unexpected_argument(const Command& command, const std::string& extra,
                          const OptionValues& options) {
  std::string hint = hint_for_expanded_pattern(options, extra);
  if (hint.empty() && is_output(command, extra))
    hint = format("write -o {} for the model to write", extra);
  if (hint.empty()) hint = format("`ortool {} --help` shows what it takes", command.name());
  return Error(ErrorCode::invalid, format("unexpected argument {}", quote(extra)), hint)
      .with_id("usage.argument");
}

void check_arguments(const Command& command, std::span<const std::string> arguments,
                     const OptionValues& options) {
  const std::vector<ArgumentSpec> specs = command.arguments();
  const bool has_many = !specs.empty() && specs.back().repeats;
  if (arguments.size() > specs.size() && !has_many)
    throw unexpected_argument(command, arguments[specs.size()], options);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (i >= arguments.size()) {
      if (!specs[i].is_required) continue;
      throw Error(ErrorCode::invalid, format("{} is missing", specs[i].name),
                  specs[i].choices.empty()
                      ? format("write `ortool {} {}`", command.name(), specs[i].name)
                      : format("give one of: {}", list_names(specs[i].choices)))
          .with_id("usage.argument");
    }
    const auto& choices = specs[i].choices;
    if (!choices.empty() &&
        std::find(choices.begin(), choices.end(), arguments[i]) == choices.end()) {
      std::string what(specs[i].name);
      std::transform(what.begin(), what.end(), what.begin(),
                     [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
      throw unknown_name(what, arguments[i], "choices", choices);
    }
  }
}

}  // namespace ortool

// Commands: options common to all, and lookup by name.
#include "apps/ortool/command.hpp"

#include <algorithm>

#include "apps/ortool/report/progress.hpp"
#include "libcore/base/build_profile.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#ifndef ORTOOL_MINIMAL
#include "apps/ortool/options/extension_options.hpp"
#endif

namespace ortool {

void Invocation::warn(std::string_view text) const {
  if (report.add_warning(text)) messages.warn(text);
}

Invocation Invocation::with(const OptionValues& other_options) const {
  return {other_options, arguments,    commands, report,  messages,  stop,
          memory,        has_document, words,    on_step, is_program};
}

TaskContext Invocation::task() const {
  return {memory, stop, [this](std::string_view text) { warn(text); },
          [this](std::string_view step) -> std::unique_ptr<ProgressMeter> {
            if (on_step) return on_step(step);
            return std::make_unique<ProgressLine>(options, messages, std::string(step));
          },
          [this](std::string_view text) { note(text); }};
}

const Command& find_command(std::span<const std::unique_ptr<const Command>> commands,
                            std::string_view name) {
  std::vector<std::string> names;
  for (const auto& command : commands) {
    if (command->name() == name) return *command;
    names.emplace_back(command->name());
  }
  names.emplace_back("help");
  names.emplace_back("version");
  throw unknown_name("command", name, "commands", names);
}

std::vector<std::string_view> formats_of(const Command& command) {
  std::vector<std::string_view> formats = {"text", "json"};
  for (const std::string_view format : command.more_formats()) formats.push_back(format);
  return formats;
}

std::vector<OptionGroup> common_options(const Command& command) {
  return {
      {"Output",
       {
           {.name = "json", .help = "one JSON document on stdout, also on failure"},
           {.name = "format", .value = "FORMAT", .choices = formats_of(command)},
           {.name = "report",
            .value = "FILE",
            .help = "write the JSON document to a file as well",
            .completes = Completion::files},
           {.name = "progress",
            .value = "HOW",
            .help = "auto, none, plain or json lines on stderr",
            .choices = {"auto", "none", "plain", "json"}},
           {.name = "quiet", .help = "no warnings and notes", .letter = 'q'},
           {.name = "verbose", .help = "more messages on stderr", .letter = 'v'},
           {.name = "log-level",
            .value = "LEVEL",
            .help = "error, warning, info or debug",
            .choices = {"error", "warning", "info", "debug"}},
       }},
      {"Limits and defaults",
       {
           {.name = "timeout",
            .value = "SECONDS",
            .help = "stop after this time (exit 124)",
            .range = real_from(0.001, 1e8)},
           {.name = "max-memory",
            .value = "SIZE",
            .help = "upper bound of the memory for tensors (default: 80 % of the machine's)",
            .range = size_range},
           {.name = "config",
            .value = "FILE",
            .help = "read options from a JSON file; the command line takes precedence",
            .completes = Completion::files},
           {.name = "help",
            .help = "show the usual options; with --all every option",
            .letter = 'h'},
       }},
#ifndef ORTOOL_MINIMAL
      extension_options(),
#endif
  };
}

std::vector<OptionGroup> all_options(const Command& command) {
  std::vector<OptionGroup> groups = command.options();
  for (OptionGroup& group : common_options(command)) groups.push_back(std::move(group));
  return groups;
}

std::vector<OptionGroup> frequent_options(const Command& command) {
  std::vector<std::string_view> names = command.frequent_options();
  if (names.empty()) return all_options(command);
  names.insert(names.end(), {"json", "help"});
  std::vector<OptionGroup> groups;
  for (OptionGroup& group : all_options(command)) {
    std::erase_if(group.options, [&](const OptionSpec& option) {
      return std::find(names.begin(), names.end(), option.name) == names.end();
    });
    if (!group.options.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

std::string where_all_are(const Command& command) {
  return format("`ortool {} --help --all` lists all options{}", command.name(),
                is_minimal_build() ? " of this minimal build" : "");
}

}  // namespace ortool

// Command: name, help, options and implementation.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/ortool/option.hpp"
#include "apps/ortool/option_values.hpp"
#include "apps/ortool/report/messages.hpp"
#include "apps/ortool/report/report.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/stop_token.hpp"
#include "libcore/base/task_context.hpp"

namespace ortool {

class Command;

/// A positional argument of the command line.
struct ArgumentSpec {
  std::string_view name;  ///< "MODEL"
  std::string_view help;
  bool is_required = true;
  std::vector<std::string> choices = {};
  bool repeats = false;  ///< the last one may be given several times
};

/// An example command line with its purpose.
struct Example {
  std::string_view line;
  std::string_view purpose;
};

/// The context of a command's run. The references outlive the run.
struct Invocation {
  const OptionValues& options;
  std::span<const std::string> arguments;
  std::span<const std::unique_ptr<const Command>> commands;
  Report& report;
  Messages& messages;
  StopToken& stop;
  MemoryCap& memory;
  bool has_document;                   ///< a JSON document is requested, on stdout or as a file
  std::span<const std::string> words;  ///< the whole command line, without the program's name
  StepFunction on_step = {};           ///< shows progress; empty: on stderr
  bool is_program = true;              ///< this process can start itself again as the program

  /// Prints it on stderr and adds it to the report; each text only once.
  void warn(std::string_view text) const;
  /// Adds what was assumed or done in the usual course to the report; each text only once.
  void note(std::string_view text) const { report.add_note(text); }
  /// The same with other options, which must outlive the result.
  Invocation with(const OptionValues& other_options) const;
  /// The same limits, warnings, notes and progress for a function of the library; this outlives it.
  TaskContext task() const;
};

/// One verb of the program. Const and without state.
class Command {
 public:
  virtual ~Command() = default;

  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  virtual std::vector<Example> examples() const = 0;
  virtual std::vector<ArgumentSpec> arguments() const = 0;
  /// The command's own options.
  virtual std::vector<OptionGroup> options() const = 0;
  /// Names of the options that --help shows, besides the usual common ones; the others follow with
  /// --all. Empty: all.
  virtual std::vector<std::string_view> frequent_options() const { return {}; }
  /// Values of --format besides text and json; the command writes them as its report's text.
  virtual std::vector<std::string_view> more_formats() const { return {}; }
  /// Runs the command: fills the report's payload and text. Throws Error on failure.
  virtual void run(Invocation& invocation) const = 0;
};

using Commands = std::vector<std::unique_ptr<const Command>>;

/// The command of that name; throws ErrorCode::invalid with the nearest one and the list.
const Command& find_command(std::span<const std::unique_ptr<const Command>> commands,
                            std::string_view name);

/// Values of --format in this version.
std::vector<std::string_view> formats_of(const Command& command);

/// A command's own options, and the common ones.
std::vector<OptionGroup> all_options(const Command& command);
/// The common options, in groups.
std::vector<OptionGroup> common_options(const Command& command);
/// The options that --help shows, in their groups.
std::vector<OptionGroup> frequent_options(const Command& command);
/// Which command line shows all options, as the end of a hint.
std::string where_all_are(const Command& command);

}  // namespace ortool

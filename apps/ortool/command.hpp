// What a command is: its name, help and options, and the work it does.
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

/// A word on the command line that is no option.
struct ArgumentSpec {
  std::string_view name;  ///< "MODEL"
  std::string_view help;
  bool is_required = true;
  std::vector<std::string> choices = {};
  bool repeats = false;  ///< the last one may be given several times
};

/// A command line worth showing, with what it does.
struct Example {
  std::string_view line;
  std::string_view purpose;
};

/// Everything a command works with. The references outlive the command's run.
struct Invocation {
  const OptionValues& options;
  std::span<const std::string> arguments;
  std::span<const std::unique_ptr<const Command>> commands;
  Report& report;
  Messages& messages;
  StopToken& stop;
  MemoryCap& memory;
  bool has_document;                   ///< a JSON document is wanted, on stdout or as a file
  std::span<const std::string> words;  ///< the whole command line, without the program's name

  /// Says it on stderr and puts it into the report; the same text only once.
  void warn(std::string_view text) const;
  /// The same limits, warnings and progress for a function of the library; this outlives it.
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
  /// The options besides those that every command has.
  virtual std::vector<OptionGroup> options() const = 0;
  /// What --format takes besides text and json; the command writes it as its report's text.
  virtual std::vector<std::string_view> more_formats() const { return {}; }
  /// The help of --format; empty: the list of what it takes.
  virtual std::string_view formats_help() const { return {}; }
  /// Does the work: fills the report's payload and text. Throws Error for whatever goes wrong.
  virtual void run(Invocation& invocation) const = 0;
};

using Commands = std::vector<std::unique_ptr<const Command>>;

/// The command of that name, or ErrorCode::invalid with the nearest one and the list.
const Command& find_command(std::span<const std::unique_ptr<const Command>> commands,
                            std::string_view name);

/// What --format takes in this version.
std::vector<std::string_view> formats_of(const Command& command);

/// A command's own options, and those that every command has.
std::vector<OptionGroup> all_options(const Command& command);
/// Those that every command has, in groups.
std::vector<OptionGroup> common_options(const Command& command);

}  // namespace ortool

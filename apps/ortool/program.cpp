// The program between main() and a command: options, limits, signals, output and exit codes.
#include "apps/ortool/program.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <unistd.h>

#include "apps/ortool/check_arguments.hpp"
#include "apps/ortool/command_line.hpp"
#include "apps/ortool/config_file.hpp"
#include "apps/ortool/help.hpp"
#include "apps/ortool/man_page.hpp"
#include "apps/ortool/options/early_checks.hpp"
#include "apps/ortool/options/written_files.hpp"
#include "apps/ortool/report/progress.hpp"
#include "apps/ortool/report/standard_output.hpp"
#include "apps/ortool/report/stop_report.hpp"
#include "apps/ortool/signal_watch.hpp"
#include "libcore/base/build_profile.hpp"
#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/log.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/base/version.hpp"
#ifndef ORTOOL_MINIMAL
#include "apps/ortool/options/extension_options.hpp"
#endif

namespace ortool {
namespace {

/// The library's log follows the same option as the program's messages.
LogLevel library_level(Verbosity verbosity) {
  switch (verbosity) {
    case Verbosity::error:
      return LogLevel::error;
    case Verbosity::warning:
      return LogLevel::warn;
    case Verbosity::info:
      return LogLevel::info;
    default:
      return LogLevel::debug;
  }
}

/// The state of main() before and after a command runs.
class CommandRun {
 public:
  CommandRun(const Commands& commands, std::vector<std::string> words)
      : commands_(commands),
        words_(std::move(words)),
        watch_(stop_, [this](ErrorCode reason) { leave(reason); }) {
    scan_output_options();
    prepare_stop_report();
  }

  int run();

 private:
  void scan_output_options();
  void dispatch();
  std::vector<std::string> take_command_name(std::string& name) const;
  void run_command(const Command& command, std::span<const std::string> words);
  void apply_common_options(const OptionValues& options);
  void set_report_path(const std::string& path, bool is_on_command_line);
  void show_help(std::string text, Json block);
  void fail(const Error& error);
  int finish();
  std::string notes_text() const;
  void write_report();
  void write_result() const;
  void prepare_stop_report();
  void leave(ErrorCode reason) noexcept;

  const Commands& commands_;
  const std::vector<std::string> words_;
  std::string command_name_;
  bool has_json_ = false;
  bool has_json_lines_ = false;
  bool has_text_ = false;  ///< standard output is a text for people
  std::string report_path_;
  Messages messages_;
  Report report_;
  int exit_code_ = 0;
  std::atomic<bool> is_finishing_{false};
  StopToken stop_;
  StopReport stop_report_;
  SignalWatch watch_;
};

/// Determined before anything can fail: whether to report failures as JSON, and where.
void CommandRun::scan_output_options() {
  std::string path;
  for (std::size_t i = 0; i < words_.size() && words_[i] != "--"; ++i) {
    const std::string& word = words_[i];
    const std::string next = i + 1 < words_.size() ? words_[i + 1] : std::string();
    has_json_lines_ =
        has_json_lines_ || word == "--format=jsonl" || (word == "--format" && next == "jsonl");
    if (word == "--json" || word == "--format=json" || (word == "--format" && next == "json")) {
      has_json_ = true;
    } else if (word == "--report") {
      path = next;
    } else if (word.starts_with("--report=")) {
      path = word.substr(word.find('=') + 1);
    }
  }
  try {
    set_report_path(path, true);
  } catch (const Error&) {
    // Reported again, as an error, once the options are parsed.
  }
}

/// Options may stand before the command's name; the rest of the words without the name.
std::vector<std::string> CommandRun::take_command_name(std::string& name) const {
  const std::vector<OptionGroup> common = common_options(*commands_.front());
  std::vector<std::string> rest = words_;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i].starts_with('-') && rest[i].size() > 1) {
      const OptionSpec* option =
          rest[i].starts_with("--") ? find_option(common, rest[i].substr(2)) : nullptr;
      if (option != nullptr && !option->is_flag()) ++i;
      continue;
    }
    name = rest[i];
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  return rest;
}

void CommandRun::show_help(std::string text, Json block) {
  command_name_ = "help";
  report_.text = std::move(text);
  report_.payload = std::move(block);
}

void CommandRun::dispatch() {
  std::string name;
  const std::vector<std::string> rest = take_command_name(name);
  const auto has_word = [&](std::initializer_list<std::string_view> wanted) {
    return std::any_of(rest.begin(), rest.end(), [&](const std::string& word) {
      return std::find(wanted.begin(), wanted.end(), word) != wanted.end();
    });
  };
  if (name == "version" || (name.empty() && has_word({"-V", "--version"}))) {
    command_name_ = "version";
    report_.text = format("ortool {} ({}){}\n", version(), commit(),
                          is_minimal_build() ? ", minimal build with chosen operators" : "");
    return;
  }
  if (name.empty() && has_word({"-h", "--help"})) {
    return show_help(program_help(commands_), help_block(commands_));
  }
  if (name.empty()) {
    if (words_.empty()) write_to_stderr(program_help(commands_) + "\n");
    for (const std::string& word : rest) {
      if (!word.starts_with("--") ||
          find_option(common_options(*commands_.front()), word.substr(2, word.find('=') - 2))) {
        continue;
      }
      throw unknown_name("option", word, "options without a command",
                         std::vector<std::string>{"--help", "--version", "-V", "--json"});
    }
    throw Error(ErrorCode::invalid, "no command is given",
                "write `ortool run MODEL.onnx`; `ortool --help` lists the commands")
        .with_id("usage.no_command");
  }
  if (name == "help") {
    const bool is_man = has_word({"--man"});
    const HelpScope scope = has_word({"--all"}) ? HelpScope::all : HelpScope::frequent;
    for (const std::string& word : rest) {
      if (!word.starts_with('-')) {
        const Command& command = find_command(commands_, word);
        return show_help(is_man ? command_man_page(command) : command_help(command, scope),
                         help_block(commands_));
      }
    }
    return show_help(is_man ? program_man_page(commands_) : program_help(commands_),
                     help_block(commands_));
  }
  if (name.ends_with(".onnx")) {
    throw Error(ErrorCode::invalid, format("{} is not a command", quote(name)),
                format("write `ortool run {}`; `ortool --help` lists the commands", name))
        .with_id("usage.no_command");
  }
  run_command(find_command(commands_, name), rest);
}

void CommandRun::apply_common_options(const OptionValues& options) {
  has_json_ = options.flag("json") || options.text("format") == "json";
  static_cast<void>(progress_style(options));  // throws for a wrong one
  has_json_lines_ = !has_json_ && options.text("format") == "jsonl";
  // With - as output, standard output carries a model or tensors.
  const bool is_data = options.text("output") == "-" || options.text("output-dir") == "-";
  has_text_ = !has_json_ && !is_data && options.text("format", "text") == "text";
  const bool is_on_command_line =
      std::any_of(words_.begin(), words_.end(),
                  [](const std::string& word) { return word.starts_with("--report"); });
  set_report_path(options.text("report"), is_on_command_line);
  if (options.flag("verbose")) messages_.set_level(Verbosity::info);
  if (options.flag("quiet")) messages_.set_level(Verbosity::error);
  if (options.has("log-level")) {
    constexpr std::array<std::string_view, 4> names = {"error", "warning", "info", "debug"};
    const auto found = std::find(names.begin(), names.end(), options.text("log-level"));
    messages_.set_level(static_cast<Verbosity>(found - names.begin()));
  }
  set_log_level(library_level(messages_.level()));
  if (options.has("timeout")) watch_.set_time_limit(options.number("timeout", 0));
}

/// Accepts the report's path, unless the report would overwrite an input.
void CommandRun::set_report_path(const std::string& path, bool is_on_command_line) {
  report_path_.clear();
  if (path == "-") {
    throw Error(ErrorCode::invalid, "option --report: - is standard output", "use --json for that")
        .with_id("usage.value");
  }
  if (!path.empty() && count_words_naming(words_, path) > (is_on_command_line ? 1 : 0)) {
    throw Error(ErrorCode::invalid, format("option --report: {} is an input file", quote(path)),
                "give the report another name")
        .with_id("usage.overwrite");
  }
  if (!path.empty()) check_can_be_written("report", path);
  report_path_ = path;
}

void CommandRun::run_command(const Command& command, std::span<const std::string> words) {
  command_name_ = command.name();
  if (std::find(words.begin(), words.end(), "--help") != words.end() ||
      std::find(words.begin(), words.end(), "-h") != words.end()) {
    const bool is_all = std::find(words.begin(), words.end(), "--all") != words.end();
    return show_help(command_help(command, is_all ? HelpScope::all : HelpScope::frequent),
                     help_block(commands_));
  }
  CommandLine line = parse_command_line(command, words);
  if (line.options.has("config")) {
    read_config_file(line.options.text("config"), command, commands_, line.options);
  }
  apply_common_options(line.options);
  check_arguments(command, line.arguments, line.options);
  check_before_loading(line.options);
  prepare_stop_report();
#ifndef ORTOOL_MINIMAL
  load_extensions(line.options);
#endif
  MemoryCap memory(line.options.size_bytes("max-memory", machine_memory_bytes() / 10 * 8));
  Invocation invocation{line.options, line.arguments, commands_, report_,
                        messages_,    stop_,          memory,    has_json_ || !report_path_.empty(),
                        words_};
  command.run(invocation);
  try {
    stop_.poll();
  } catch (const Error&) {
    // A result after the time limit does not count.
    report_.text.clear();
    report_.more_text = nullptr;
    throw;
  }
}

void CommandRun::fail(const Error& error) {
  exit_code_ = graver_exit_code(exit_code_, static_cast<int>(error.code()));
  report_.add_error(error);
  // Otherwise they stand above the report.
  if (notes_text().empty()) {
    for (const std::string& note : report_.notes()) messages_.note(note);
  }
  messages_.fail(error);
}

/// Notes stand above a text report, unless --quiet.
std::string CommandRun::notes_text() const {
  const bool has_report = !report_.text.empty() || report_.more_text;
  if (!has_text_ || !has_report || messages_.level() < Verbosity::warning) return {};
  std::string text;
  for (const std::string& note : report_.notes())
    text += "note: " + escape_control_characters(note) + "\n";
  return text;
}

/// Writes the report file; a failure becomes part of the result.
void CommandRun::write_report() {
  if (report_path_.empty()) return;
  try {
    AtomicFile file(report_path_);
    FileSink sink(file);
    report_.write_document(command_name_, words_, exit_code_, sink);
    sink.flush();
    file.commit();
  } catch (const Error& error) {
    fail(error);
  }
}

void CommandRun::write_result() const {
  StandardOutputSink out;
  if (has_json_) {
    report_.write_document(command_name_, words_, exit_code_, out);
  } else {
    if (has_json_lines_) report_.write_header_line(command_name_, words_, exit_code_, out);
    out += notes_text();
    out += report_.text;
    if (report_.more_text) report_.more_text(out);
  }
  out.flush();
}

int CommandRun::finish() {
  // From here on a handler that ends the process writes nothing itself; one that runs in another
  // thread may be about to.
  while (is_finishing_.exchange(true)) pause();
  exit_code_ = graver_exit_code(exit_code_, report_.verdict);
  write_report();
  try {
    write_result();
  } catch (const Error& error) {
    exit_code_ = graver_exit_code(exit_code_, static_cast<int>(error.code()));
    report_.add_error(error);
    if (error.id() != "output.closed") messages_.fail(error);
    write_report();
  }
  return exit_code_;
}

/// Composes now what a signal handler may have to write; the document once the command is known.
void CommandRun::prepare_stop_report() {
  StopReport::Texts texts;
  for (std::size_t i = 0; i < StopReport::reasons.size(); ++i) {
    const ErrorCode reason = StopReport::reasons[i];
    const Error error(
        reason, reason == ErrorCode::timeout ? "stopped by the time limit" : "stopped by a signal");
    texts.lines[i] = messages_.error_line(error.what());
    if (command_name_.empty() || (!has_json_ && report_path_.empty())) continue;
    Report report;
    report.add_error(error);
    StringSink document;
    report.write_document(command_name_, words_, static_cast<int>(reason), document);
    texts.documents[i] = document.take();
  }
  if (!command_name_.empty()) texts.path = report_path_;
  texts.is_on_stdout = has_json_;
  stop_report_.prepare(std::move(texts));
}

/// Async-signal-safe.
void CommandRun::leave(ErrorCode reason) noexcept {
  if (!is_finishing_.exchange(true)) stop_report_.write(reason);
}

int CommandRun::run() {
  try {
    dispatch();
  } catch (const Error& error) {
    fail(error);
  } catch (const std::bad_alloc&) {
    fail(Error(ErrorCode::memory_limit, "the system is out of memory",
               "close other programs, or give smaller inputs")
             .with_id("memory.system"));
  } catch (const std::exception& error) {
    fail(Error(ErrorCode::invalid, format("internal error: {}", error.what()),
               "this is a bug in ortool; please report it with the command line that shows it")
             .with_id("internal.exception"));
  }
  return finish();
}

}  // namespace

int graver_exit_code(int a, int b) {
  constexpr std::array<int, 11> order = {130, 143, 124, 2, 5, 4, 6, 7, 3, 1, 0};
  const auto place = [&](int code) { return std::find(order.begin(), order.end(), code); };
  return place(a) <= place(b) ? a : b;
}

int run_program(Commands (*make_commands)(), int argc, char** argv) noexcept {
  try {
    set_setting_prefix("--");
    const Commands commands = make_commands();
    return CommandRun(commands, {argv + (argc > 0 ? 1 : 0), argv + argc}).run();
  } catch (const std::exception&) {
    // Only reached when out of memory: there may be none left for a longer message.
    write_to_stderr("error: the system is out of memory\n");
    return static_cast<int>(ErrorCode::memory_limit);
  }
}

}  // namespace ortool

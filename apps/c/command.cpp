// Commands of the C interface: a JSON request in, the program's JSON report out.
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>

#include "apps/c/guard.hpp"
#include "apps/c/task_scope.hpp"
#include "apps/ortool/check_arguments.hpp"
#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/config_file.hpp"
#include "apps/ortool/options/early_checks.hpp"
#include "apps/ortool/options/extension_options.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/json/json.hpp"

namespace ortool::c {
namespace {

/// A request as the command takes it.
struct Request {
  OptionValues options;
  std::vector<std::string> arguments;
  std::vector<std::string> words;  ///< the equivalent command line
};

/// The command's options, and the common ones that do not concern its terminal.
std::vector<OptionGroup> request_options(const Command& command) {
  std::vector<OptionGroup> groups = all_options(command);
  for (OptionGroup& group : groups) {
    std::erase_if(group.options, [](const OptionSpec& option) {
      for (const char* name : {"json", "report", "progress", "quiet", "verbose", "log-level",
                               "config", "help", "isolate", "stepped"}) {
        if (option.name == name) return true;
      }
      return false;
    });
  }
  return groups;
}

void refuse_streams(const std::string& text) {
  if (text != "-" && !text.ends_with("=-")) return;
  throw Error(ErrorCode::invalid,
              format("{}: standard input and output are the program's", quote(text)), "name a file")
      .with_id("usage.stream");
}

Request read_request(const Command& command, const char* text) {
  Json document = text != nullptr ? parse_json(text, "request") : Json::object();
  Request request;
  if (document.is_object()) {
    auto& members = document.members();
    for (auto member = members.begin(); member != members.end(); ++member) {
      if (member->first != "arguments") continue;
      const Json list = std::move(member->second);
      members.erase(member);
      bool is_fine = list.is_list();
      for (std::size_t i = 0; is_fine && i < list.items().size(); ++i) {
        is_fine = list.items()[i].is_text();
        if (is_fine) request.arguments.push_back(list.items()[i].text());
      }
      if (!is_fine) {
        throw Error(ErrorCode::invalid, "request: \"arguments\" is not a list of strings",
                    "write \"arguments\": [\"model.onnx\"]")
            .with_id("usage.value");
      }
      break;
    }
  }
  const std::vector<OptionGroup> groups = request_options(command);
  try {
    read_options(document, groups, {}, where_all_are(command), {}, request.options);
  } catch (Error& error) {
    throw error.in("request");
  }
  request.words.emplace_back(command.name());
  for (const std::string& argument : request.arguments) request.words.push_back(argument);
  for (const OptionGroup& group : groups) {
    for (const OptionSpec& option : group.options) {
      for (const std::string& value : request.options.all(option.name)) {
        refuse_streams(value);
        request.words.push_back("--" + std::string(option.name) +
                                (option.is_flag() ? std::string() : "=" + value));
      }
    }
  }
  for (const std::string& argument : request.arguments) refuse_streams(argument);
  return request;
}

char* copy_text(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

std::string report_text(const Report& report, const Request& request, int exit_code) {
  StringSink sink;
  const std::string format = request.options.text("format", "json");
  if (format == "json") {
    report.write_document(request.words.front(), request.words, exit_code, sink);
  } else {
    if (format == "jsonl")
      report.write_header_line(request.words.front(), request.words, exit_code, sink);
    sink += report.text;
    if (report.more_text) report.more_text(sink);
  }
  return sink.take();
}

void run_command(const Command& command, const Commands& commands, const Request& request,
                 TaskScope& task, Report& report) {
  check_arguments(command, request.arguments, request.options);
  check_before_loading(request.options);
  load_extensions(request.options);
  MemoryCap memory(request.options.size_bytes("max-memory", machine_memory_bytes() / 10 * 8));
  Invocation invocation{.options = request.options,
                        .arguments = request.arguments,
                        .commands = commands,
                        .report = report,
                        .messages = task.messages(),
                        .stop = task.stop(),
                        .memory = memory,
                        .has_document = true,
                        .words = request.words,
                        .on_step = task.on_step(),
                        .is_program = false};
  command.run(invocation);
  task.stop().poll();
}

}  // namespace
}  // namespace ortool::c

using namespace ortool;     // NOLINT(google-build-using-namespace): functions of the C interface
using namespace ortool::c;  // NOLINT(google-build-using-namespace)

ortool_status ortool_command(const char* command, const char* request, const ortool_task* task,
                             char** report_out, ortool_error** error) {
  return guarded(error, [&] {
    require(command, "command");
    require(report_out, "report_out");
    const Commands commands = make_commands();
    const Command& called = find_command(commands, command);
    const Request read = read_request(called, request);
    TaskScope scope(task);
    if (read.options.has("timeout")) scope.limit(read.options.number("timeout", 0));
    Report report;
    std::optional<Error> failure;
    try {
      run_command(called, commands, read, scope, report);
    } catch (...) {
      failure = current_error();
      report.add_error(*failure);
    }
    scope.tell_notes(report);
    const int exit_code = failure ? static_cast<int>(failure->code()) : report.verdict;
    *report_out = copy_text(report_text(report, read, exit_code));
    if (failure) throw *failure;
  });
}

void ortool_text_free(char* text) {
  std::free(text);
}

// Commands of the C interface: a JSON request in, the program's JSON report out.
#include <memory>
#include <optional>

#include "apps/c/guard.hpp"
#include "apps/c/handles.hpp"
#include "apps/c/task_scope.hpp"
#include "apps/ortool/check_arguments.hpp"
#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/config_file.hpp"
#include "apps/ortool/options/early_checks.hpp"
#include "apps/ortool/options/extension_options.hpp"
#include "apps/ortool/quantize/quantize_settings.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/task_context.hpp"
#include "libcore/dataset/given_samples.hpp"
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

constexpr std::string_view calibration_option = "calibration-data";

void check_takes_samples(const Command& command, const OptionValues& options) {
  if (command.name() != "quantize") {
    throw Error(ErrorCode::invalid,
                format("next_sample is set, but {} takes no samples", command.name()),
                "leave it NULL for other commands than quantize")
        .with_id("usage.applies_to_nothing");
  }
  if (!options.has(calibration_option)) return;
  throw Error(ErrorCode::invalid, "next_sample and \"calibration-data\" contradict each other",
              "leave one of them out")
      .with_id("usage.conflict");
}

std::shared_ptr<const GivenSamples> collect_samples(const OptionValues& options, TaskScope& task,
                                                    MemoryCap& memory) {
  auto samples = std::make_shared<GivenSamples>(memory);
  const std::optional<std::int64_t> needed = needed_samples(options);
  Progress progress(task.on_step(), "reading samples");
  while (!needed || samples->size() < *needed) {
    task.stop().poll();
    samples->begin_sample();
    ortool_sample sample{*samples};
    const std::int32_t answer = task.ask_for_sample(sample);
    if (sample.failure) throw *sample.failure;
    if (answer < 0) {
      throw Error(ErrorCode::interrupted,
                  format("next_sample() returned {} for sample {}", answer, samples->size() - 1),
                  "it returns 1 for a sample, and 0 when there are no more");
    }
    if (answer == 0) {
      samples->drop_sample();
      break;
    }
    progress.tell_done(samples->size(), needed.value_or(0));
  }
  return samples;
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
  OptionValues options = request.options;
  std::optional<NamedSamples> samples;
  if (task.gives_samples()) {
    check_takes_samples(command, options);
    samples.emplace(collect_samples(options, task, memory));
    options.set(calibration_option, {samples->name()});
  }
  Invocation invocation{.options = options,
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

ortool_status ortool_sample_add(ortool_sample* sample, const char* name, const ortool_value* value,
                                ortool_error** error) {
  return guarded(error, [&] {
    require(sample, "sample");
    try {
      require(name, "name");
      require(value, "value");
      sample->samples.add_input(name, value->value);
    } catch (...) {
      sample->failure = current_error();
      throw;
    }
  });
}

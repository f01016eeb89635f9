// Output options of commands that write a model.
#include "apps/ortool/options/save_options.hpp"

#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/option_conflicts.hpp"
#include "apps/ortool/options/written_files.hpp"
#include "libcore/api/save_packed.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/check/save_checked.hpp"
#include "libcore/infer/declare_outputs.hpp"
#include "providers/provider_list.hpp"

namespace ortool {
namespace {

constexpr std::int64_t default_threshold_bytes = 1024;
constexpr const char* standard_output_path = "/dev/stdout";

void check_stream(const OptionValues& options) {
  if (options.flag("json") || options.text("format") == "json") {
    throw no_effect("json", "with --output -",
                    "leave one of them out; --report FILE writes the document too");
  }
  // A closed stream was replaced by an empty read-only file.
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  if (flags == -1 || (flags & O_ACCMODE) == O_RDONLY) {
    throw Error(ErrorCode::write_failed, "standard output: cannot be written (it is closed)",
                "add a pipe or > FILE after the command")
        .with_id("output.write");
  }
  if (::isatty(STDOUT_FILENO) == 1) {
    throw Error(ErrorCode::invalid, "option --output: a model cannot be written to a terminal",
                "add a pipe or > FILE after the command")
        .with_id("usage.output");
  }
}

/// Packed weights need a file of their own.
void check_packed(const OptionValues& options, const std::string& path) {
  if (options.text("external-data", "auto") == "always")
    throw no_effect("external-data", "with --packed", "leave one of them out");
  if (path != "-") return;
  throw Error(ErrorCode::invalid,
              "option --packed: packed weights cannot be written to standard output",
              "give --output a file name")
      .with_id("usage.value");
}

}  // namespace

OptionGroup save_options() {
  return {"Model to write",
          {
              {.name = "output",
               .value = "OUT.onnx",
               .help = "the model to write; - is standard output",
               .letter = 'o',
               .completes = Completion::files},
              {.name = "force", .help = "OUT.onnx may be MODEL itself"},
              {.name = "external-data",
               .value = "WHEN",
               .help = "weights in a file next to the model: auto (as in MODEL; all above 2 GB), "
                       "always, never",
               .choices = {"auto", "always", "never"}},
              {.name = "external-threshold",
               .value = "SIZE",
               .help = "smaller weights stay in the model (default: 1024 bytes)",
               .range = size_range},
              {.name = "packed",
               .help = "add the weights as kernels on this processor read them: runs of the file "
                       "start at once"},
          }};
}

SaveTarget read_save_target(const Invocation& invocation, const LoadedModel& loaded) {
  const OptionValues& options = invocation.options;
  SaveTarget target;
  target.path = options.text("output");
  target.options.stop = &invocation.stop;
  const bool is_file = options.has("output") && target.path != "-";
  if (target.path == "-") check_stream(options);
  if (is_file) check_can_be_written("output", target.path);
  std::error_code ignored;
  const bool is_model = is_file && loaded.path != "-" &&
                        std::filesystem::equivalent(target.path, loaded.path, ignored);
  if (is_file && !is_model) check_is_no_other_file(invocation, "output", target.path);
  if (is_model && !options.flag("force")) {
    throw Error(ErrorCode::invalid,
                format("option --output: {} is the model that is read", quote(target.path)),
                "give another name, or --force to replace it")
        .with_id("usage.overwrite");
  }
  const std::string when = options.text("external-data", "auto");
  if (when == "always") target.options.external_data = ExternalData::always;
  if (when == "never") target.options.external_data = ExternalData::never;
  target.options.external_threshold_bytes =
      options.size_bytes("external-threshold", default_threshold_bytes);
  if (target.path == "-" && when == "always") {
    throw Error(ErrorCode::invalid,
                "option --external-data: weights cannot be written next to standard output",
                "give --output a file name")
        .with_id("usage.value");
  }
  if (target.path == "-") target.options.external_data = ExternalData::never;
  target.is_packed = options.flag("packed");
  if (target.is_packed) check_packed(options, target.path);
  return target;
}

std::int64_t save_to(const Invocation& invocation, const SaveTarget& target, Model& model) {
  declare_registered_outputs(model);
  Progress progress(invocation.task(), "writing (MB)");
  SaveOptions options = target.options;
  options.on_written = [&progress](std::int64_t done, std::int64_t total) {
    constexpr std::int64_t megabyte = 1'000'000;
    progress.tell_done(done / megabyte, total / megabyte);
  };
  if (target.is_packed) {
    ThreadPool pool(thread_count(invocation.options));
    return save_packed_model(model, target.path, options,
                             compute_options(invocation, default_providers(), &pool));
  }
  const bool is_stream = target.path == "-";
  return save_checked_model(model, is_stream ? standard_output_path : target.path, options);
}

}  // namespace ortool
